public import Model

/// The network stream parameters of a synchronisation profile (`networkStreamParams`):
/// `trusted_certificates=FILE;compression=zlib;url_suffix=PATH`.
public struct StreamParameters: Sendable, Hashable {
  /// A file of certificates to believe beside no others.
  public var trustedCertificates: String?
  /// Path of a relay server.
  public var urlSuffix: String?
  /// Whether answers may come compressed; they may anyway over HTTP, so this only has to be known.
  public var isCompressed = false

  public init() {}

  /// - Throws: `.configuration` for a parameter that is none, or has no value.
  public init(parsing text: String) throws(ServiceError) {
    for part in text.split(separator: ";") {
      let sides = part.split(separator: "=", maxSplits: 1).map { String($0.trimmed) }
      guard sides.count == 2, !sides[1].isEmpty else { throw Self.wrong(String(part)) }
      switch sides[0] {
      case "trusted_certificates", "trusted_certificate": trustedCertificates = sides[1]
      case "url_suffix": urlSuffix = sides[1]
      case "compression" where sides[1] == "zlib" || sides[1] == "none": isCompressed = sides[1] == "zlib"
      default: throw Self.wrong(String(part))
      }
    }
  }

  private static func wrong(_ part: String) -> ServiceError {
    ServiceError(
      .configuration, "read the setting “streamParams”", detail: "“\(part)” is no network stream parameter",
      remedy: "There are trusted_certificates=FILE, compression=zlib and url_suffix=PATH, divided by semicolons.")
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0 == " " }
    return start.last == " " ? start.dropLast(start.reversed().prefix { $0 == " " }.count) : start
  }
}
