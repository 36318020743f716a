import Model
import Synchronization

/// Names this client to the server's operators (`OMCDiagnostics`): by these ids they find its requests in their logs.
public struct MobileDiagnostics: Sendable {
  let surroundings: Surroundings

  public var deviceID: String { MobileHeaders.identity.device(surroundings.randomBytes) }
  /// Another one each time the program starts.
  public var sessionID: String { MobileHeaders.identity.session(surroundings.randomBytes) }
  /// As the request time is sent: UTC with milliseconds.
  public var requestTimestamp: String { MobileHeaders.time(surroundings.clock.now()) }
}

/// The headers that tie a client's log and the server's together (reference, section 3).
struct MobileHeaders: Sendable {
  private let surroundings: Surroundings
  init(_ surroundings: Surroundings) { self.surroundings = surroundings }

  static let version = "1.0"

  /// `Atrium 1.0 [Storage]`: our own name; we do not pose as Oracle's library.
  static func client(_ module: String) -> String { "Atrium \(version) [\(module)]" }

  func fields(module: String) -> [(name: String, value: String)] {
    [
      (name: "Oracle-Mobile-Device-ID", value: MobileHeaders.identity.device(surroundings.randomBytes)),
      (name: "Oracle-Mobile-Diagnostic-Session-ID", value: MobileHeaders.identity.session(surroundings.randomBytes)),
      (name: "Oracle-Mobile-Client-Request-Time", value: MobileHeaders.time(surroundings.clock.now())),
      (name: "Oracle-Mobile-Client-SDK-Info", value: MobileHeaders.client(module)),
    ]
  }

  /// UTC with milliseconds always: `2026-11-30T08:15:30.125Z`.
  static func time(_ now: Timestamp) -> String {
    let text = now.rfc3339
    return text.contains(".") ? text : text.dropLast() + ".000Z"
  }

  static let identity = Identity()

  /// Names this process to servers; made when first asked for, and no trace of the machine.
  final class Identity: Sendable {
    private let ids = Mutex<(device: String?, session: String?)>((nil, nil))

    func device(_ random: (Int) -> [UInt8]) -> String {
      ids.withLock { ids in
        if ids.device == nil { ids.device = Identity.uuid(random(16)) }
        return ids.device ?? ""
      }
    }

    func session(_ random: (Int) -> [UInt8]) -> String {
      ids.withLock { ids in
        if ids.session == nil { ids.session = Identity.uuid(random(16)) }
        return ids.session ?? ""
      }
    }

    /// A random UUID, RFC 9562 version 4.
    static func uuid(_ random: [UInt8]) -> String {
      guard random.count >= 16 else { return "00000000-0000-4000-8000-000000000000" }
      var bytes = Array(random.prefix(16))
      bytes[6] = bytes[6] & 0x0F | 0x40
      bytes[8] = bytes[8] & 0x3F | 0x80
      var text = ""
      for (index, byte) in bytes.enumerated() {
        if [4, 6, 8, 10].contains(index) { text += "-" }
        text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }
      return text
    }
  }
}
