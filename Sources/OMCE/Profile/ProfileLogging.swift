import Model

/// What a profile wants logged (`logLevel`, `logHTTP` and their bounds; reference, section 1.1).
package struct ProfileLogging: Sendable, Hashable {
  /// `none`, `error`, `warning`, `info` or `debug`.
  package let level: String
  /// Whether headers and bodies of all exchanges are shown.
  package let showsHTTP: Bool
  /// Characters; 0 for all.
  package let mostHeaderCharacters: Int
  /// Bytes; 0 for all.
  package let mostBodyBytes: Int

  /// Nil for a connection without a readable profile; whoever uses it says why.
  package init?(_ connection: Connection) {
    guard connection.kind == .omce, let profile = try? OMCESettings(connection.settings).profile else { return nil }
    level = profile.logLevel
    showsHTTP = profile.logsHTTP
    mostHeaderCharacters = profile.logHTTPMaxHeaderSize
    mostBodyBytes = profile.logHTTPMaxBodySize
  }

  /// A header's value as the log shows it.
  package func cut(header value: String) -> String {
    guard mostHeaderCharacters > 0, value.count > mostHeaderCharacters else { return value }
    return value.prefix(mostHeaderCharacters) + "..."
  }

  /// A body as the log shows it; nil where it is no text.
  package func cut(body bytes: [UInt8]) -> String? {
    guard !bytes.contains(0) else { return nil }
    guard mostBodyBytes > 0, bytes.count > mostBodyBytes else { return String(decoding: bytes, as: UTF8.self) }
    return String(decoding: bytes.prefix(mostBodyBytes), as: UTF8.self) + "..."
  }
}
