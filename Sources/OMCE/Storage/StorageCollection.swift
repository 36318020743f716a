import JSON
import Model
import Wire

/// A collection of stored objects (reference, section 4.3).
public struct StorageCollection: Sendable {
  let json: JSONValue
  init(_ json: JSONValue) { self.json = json }

  public var id: String { json["id"].string ?? "" }
  public var description: String? { json["description"].string }
  /// Bytes of all its objects together.
  public var contentLength: Int? { json["contentLength"].numberText.flatMap { Int($0) } }
  /// Whether each user has objects of his own in it; the server says so only when it is true.
  public var isIsolated: Bool { json["userIsolated"].bool ?? false }
  public var etag: String? { json["eTag"].string }
}

/// An object's metadata (`OMCStorageObject`), from a list or from the headers of its own answer.
public struct StoredObject: Sendable, Hashable {
  public var id: String
  public var name: String?
  public var mediaType: String?
  public var size: Int?
  /// With its quotes; sent back exactly so.
  public var etag: String?
  public var createdBy: String?
  public var created: Timestamp?
  public var modifiedBy: String?
  public var modified: Timestamp?
  /// Whose space it is in, for isolated collections; an id, not a name.
  public var user: String?
  public var canonicalLink: String?

  init(_ json: JSONValue) {
    id = json["id"].string ?? ""
    name = json["name"].string
    // As the headers of the object's own answer are read: without parameters.
    mediaType = json["contentType"].string.flatMap { HTTPHeaders([(name: "Content-Type", value: $0)]).mediaType }
    // A number in the reference, a text in one of its clients.
    size = json["contentLength"].numberText.flatMap { Int($0) }
    etag = json["eTag"].string
    createdBy = json["createdBy"].string
    created = json["createdOn"].string.flatMap(MobileTime.read)
    modifiedBy = json["modifiedBy"].string
    modified = json["modifiedOn"].string.flatMap(MobileTime.read)
    user = json["user"].string
    canonicalLink = json["links"].elements.first { $0["rel"].string == "canonical" }?["href"].string
  }

  init(id: String, _ headers: HTTPHeaders) {
    self.id = id
    name = headers["Oracle-Mobile-Name"].map(StoredObject.decodedName)
    mediaType = headers.mediaType
    size = headers.contentLength.map { Int($0) }
    etag = headers["ETag"]
    createdBy = headers["Oracle-Mobile-Created-By"]
    created = headers["Oracle-Mobile-Created-On"].flatMap(MobileTime.read)
    modifiedBy = headers["Oracle-Mobile-Modified-By"]
    modified = (headers["Oracle-Mobile-Modified-On"] ?? headers["Last-Modified"]).flatMap(MobileTime.read)
    canonicalLink = headers["Oracle-Mobile-Canonical-Link"]
    user = canonicalLink.flatMap { link in
      link.firstIndex(of: "?").flatMap { mark in
        URLForm.decode(link[link.index(after: mark)...]).first { $0.name == "user" }?.value
      }
    }
  }

  public var displayName: String { name.flatMap { $0.isEmpty ? nil : $0 } ?? id }

  /// Some clients send the name percent-encoded, some as it is; what decodes cleanly was encoded (reference, trap 17).
  static func decodedName(_ text: String) -> String {
    guard text.contains("%") else { return text }
    var rest = Substring(text)
    while let percent = rest.firstIndex(of: "%") {
      let digits = rest[rest.index(after: percent)...].prefix(2)
      guard digits.count == 2, digits.allSatisfy(\.isHexDigit) else { return text }
      rest = rest[digits.endIndex...]
    }
    let decoded = URLForm.unescape(text)
    return decoded.contains("\u{FFFD}") ? text : decoded
  }
}

/// The three shapes of time that the servers write.
enum MobileTime {
  static func read(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) ?? HTTPDate.parse(text) }
}
