import Crypto
import HTTPServer
import JSON
import Synchronization

/// Files of the task API, for clients that keep them offline: raw bytes with a tag; reference omce.md, section 6.5.
extension OMCRoutes {
  mutating func addAttachments() {
    let files = "/mobile/custom/tasks/files"
    on("POST", files) { call throws(OMCError) in
      let made = call.server.attachments.add(try call.file())
      let location = (call.knobs.locationWithoutSlash ? "" : "/") + "mobile/custom/tasks/files/\(made.name)"
      return .empty(201).adding("Location", location).adding("ETag", made.file.eTag)
    }
    on("GET|HEAD", files + "/{name}") { call throws(OMCError) in
      _ = try call.person()
      let file = try call.attachment()
      if call.request.header("If-None-Match") == file.eTag {
        return ServerResponse(status: 304, headers: [("ETag", file.eTag)])
      }
      return ServerResponse(
        status: 200,
        headers: [
          ("Content-Type", file.mediaType), ("ETag", file.eTag), ("Oracle-Mobile-Sync-Resource-Type", "file"),
        ], body: .bytes(file.bytes))
    }
    on("PUT", files + "/{name}") { call throws(OMCError) in
      let file = try call.file()
      guard call.server.attachments.put(call["name"], file, ifMatch: call.request.header("If-Match")) else {
        throw .preconditionFailed
      }
      return .empty(200).adding("ETag", file.eTag)
    }
    on("DELETE", files + "/{name}") { call throws(OMCError) in
      _ = try call.person()
      _ = try call.attachment()
      guard call.server.attachments.remove(call["name"], ifMatch: call.request.header("If-Match")) else {
        throw .preconditionFailed
      }
      return .empty(204)
    }
  }
}

/// The files that hang on tasks, by name.
final class AttachmentList: Sendable {
  struct File: Sendable {
    let bytes: [UInt8]
    let mediaType: String

    var eTag: String { "\"\(Hex.encode(Hash.sha1.digest(bytes)).prefix(16))\"" }
  }

  private static let start = [
    "plan.txt": File(bytes: Array("Valve first, then paint.\n".utf8), mediaType: "text/plain")
  ]
  private let files = Mutex(AttachmentList.start)

  func file(_ name: String) -> File? { files.withLock { $0[name] } }

  func reset() { files.withLock { $0 = Self.start } }

  func add(_ file: File) -> (name: String, file: File) {
    files.withLock { files in
      var number = files.count
      while files["file-\(number)"] != nil { number += 1 }
      files["file-\(number)"] = file
      return ("file-\(number)", file)
    }
  }

  /// False where the tag is stale, or there is nothing that it could be of.
  func put(_ name: String, _ file: File, ifMatch tag: String?) -> Bool {
    files.withLock { files in
      guard tag == nil || files[name].map({ tag == "*" || tag == $0.eTag }) == true else { return false }
      files[name] = file
      return true
    }
  }

  func remove(_ name: String, ifMatch tag: String?) -> Bool {
    files.withLock { files in
      guard tag == nil || tag == "*" || tag == files[name]?.eTag else { return false }
      return files.removeValue(forKey: name) != nil
    }
  }
}

extension OMCCall {
  fileprivate func attachment() throws(OMCError) -> AttachmentList.File {
    guard let file = server.attachments.file(self["name"]) else { throw .notFound("The file \(self["name"])") }
    return file
  }

  /// What a write brings, for those who may write.
  fileprivate func file() throws(OMCError) -> AttachmentList.File {
    _ = try person()
    return AttachmentList.File(
      bytes: request.body(), mediaType: request.header("Content-Type") ?? "application/octet-stream")
  }
}
