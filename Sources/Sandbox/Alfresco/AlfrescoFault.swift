import HTTPServer
import JSON

/// A refusal of the repository: the status, the message key and the text that the error object carries.
///
/// Keys and texts are those of the server (reference 3.1 and 3.2).
struct AlfrescoFault: Error, Equatable {
  let status: Int
  let key: String
  let summary: String

  init(_ status: Int, _ key: String, _ summary: String) {
    self.status = status
    self.key = key
    self.summary = summary
  }

  private static func framework(_ status: Int, _ key: String, _ summary: String) -> AlfrescoFault {
    AlfrescoFault(status, "framework.exception.\(key)", summary)
  }

  static func invalidArgument(_ detail: String) -> AlfrescoFault {
    framework(400, "InvalidArgument", "An invalid argument was received \(detail)")
  }
  static func badRequest(_ text: String) -> AlfrescoFault { AlfrescoFault(400, text, text) }
  static func invalidQuery(_ detail: String) -> AlfrescoFault {
    framework(400, "InvalidQuery", "An invalid WHERE query was received. \(detail)")
  }
  static let unauthenticated = framework(
    401, "ApiDefault", "Authentication failed for Web Script org/alfresco/api/ResourceWebScript.get")
  static let denied = framework(403, "PermissionDenied", "Permission was denied")
  static func unknownEntity(_ id: String) -> AlfrescoFault {
    framework(404, "EntityNotFound", "The entity with id: \(id) was not found")
  }
  static func unknownRelationship(_ id: String, _ other: String) -> AlfrescoFault {
    framework(
      404, "RelationshipNotFound",
      "The relationship resource was not found for the entity with id: \(id) and a relationship id of \(other)")
  }
  static func notFound(_ what: String) -> AlfrescoFault { framework(404, "NotFound", "\(what) was not found") }
  static let unsupported = framework(405, "UnsupportedResourceOperation", "The operation is unsupported")
  static func nameExists(_ name: String) -> AlfrescoFault {
    AlfrescoFault(409, "Name already exists in target", "Duplicate child name not allowed: \(name)")
  }
  static func fileExists(_ name: String) -> AlfrescoFault {
    framework(409, "ConstraintViolated", "\(name) already exists.")
  }
  static func locked(_ id: String) -> AlfrescoFault {
    framework(
      409, "ApiDefault",
      "The operation can't be performed on workspace://SpacesStore/\(id) because it is locked")
  }
  static func conflict(_ text: String) -> AlfrescoFault { framework(409, "ConstraintViolated", text) }
  static func unprocessable(_ text: String) -> AlfrescoFault { framework(422, "ApiDefault", text) }
  static func failed(_ text: String) -> AlfrescoFault { framework(500, "ApiDefault", text) }
  static func unavailable(_ text: String) -> AlfrescoFault { AlfrescoFault(501, text, text) }
}

extension AlfrescoFault {
  /// The error object; `number` counts the server's refusals, `logID` names this one.
  ///
  /// The eight digits before the summary are the month counted from 00, the day and the running number.
  func node(at now: SandboxTime, number: Int, logID: String) -> JSONNode {
    let parts = now.parts
    let digits = SandboxTime.padded(parts.month - 1, 2) + SandboxTime.padded(parts.day, 2)
    var error: JSONNode = [
      "errorKey": .string(key), "statusCode": .integer(Int64(status)),
      "briefSummary": .string("\(digits)\(SandboxTime.padded(number % 10_000, 4)) \(summary)"),
      "stackTrace":
        "For security reasons the stack trace is no longer displayed, but the property is kept for previous versions",
    ]
    if status != 401 { error["logId"] = .string(logID) }
    error["descriptionURL"] = "https://api-explorer.alfresco.com"
    return ["error": error]
  }
}
