import FoundationEssentials
import JSON
import Model

/// What a third party's JWT says of itself; it is not verified, only looked at.
public struct ExternalToken: Sendable, Hashable {
  public let issuer: String?
  public let subject: String?
  public let audience: [String]
  public let expires: Timestamp?

  /// Nil for what is no JWT, such as a SAML assertion or an opaque token.
  public init?(_ token: Secret) {
    let parts = token.reveal().split(separator: ".")
    guard parts.count >= 2 else { return nil }
    var text = parts[1].replacing("-", with: "+").replacing("_", with: "/")
    while text.utf8.count % 4 != 0 { text += "=" }
    guard let data = Data(base64Encoded: String(text)), let root = try? JSONDocument(Array(data)).root else {
      return nil
    }
    let claim = root["aud"]
    audience = claim.string.map { [$0] } ?? claim.elements.compactMap(\.string)
    subject = root["sub"].string
    issuer = root["iss"].string
    expires = root["exp"].int.map { Timestamp(seconds: Int64($0)) }
  }

  /// Why there is no point in sending it; nil when there may be.
  func objection(now: Timestamp) -> String? {
    if let expires, expires <= now { return "The token ended at \(expires.rfc3339)." }
    return audience.isEmpty ? "The token names no audience (aud), so no backend can take it." : nil
  }

  /// The claims that matter here, one a line.
  var lines: [String] {
    [
      "Issuer: \(issuer ?? "not said")", "Subject: \(subject ?? "not said")",
      "Audience: \(audience.isEmpty ? "not said" : audience.joined(separator: ", "))",
      "Expires: \(expires?.rfc3339 ?? "not said")",
    ]
  }
}
