/// A version of the API as its path names it: `v5.1.0`.
public struct APIVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  public let major: Int
  public let minor: Int
  public let patch: Int

  public init(_ major: Int, _ minor: Int, _ patch: Int) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// Reads `v5.1.0`, also `5.1.0` and the two-part `v1.2` of the oldest servers; nil for anything else.
  public init?(_ text: String) {
    let digits = text.first == "v" || text.first == "V" ? text.dropFirst() : text[...]
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard (2...3).contains(parts.count), let major = parts[0], let minor = parts[1] else { return nil }
    guard let patch = parts.count == 3 ? parts[2] : 0 else { return nil }
    self.init(major, minor, patch)
  }

  public static func < (a: APIVersion, b: APIVersion) -> Bool {
    (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
  }

  public var description: String { "v\(major).\(minor).\(patch)" }

  /// What is asked for where the address names no version.
  public static let standard = APIVersion(5, 1, 0)
  /// Versions tried in turn on a server that has not got the standard one (reference, section 2.2).
  public static let fallbacks = [APIVersion(4, 0, 0), APIVersion(3, 1, 0), APIVersion(2, 0, 0)]
}
