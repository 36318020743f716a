/// Which application this is to the server, and on what it runs.
public struct ApplicationIdentity: Sendable, Hashable {
  /// As registered with the server: `com.example.app`.
  public var id: String
  /// `ios`, `android`, `windows`, or a web value: must be one the application is deployed for.
  public var platform: String
  public var version: String
  /// What an administrator sees this device as; nil leaves it nameless.
  public var deviceName: String?

  public init(id: String, platform: String = "ios", version: String = "1.0", deviceName: String? = nil) {
    self.id = id
    self.platform = platform
    self.version = version
    self.deviceName = deviceName
  }

  /// The issuer of assertions.
  var issuer: String { "\(id)$\(platform)$\(version)" }

  /// What the server is told anew when it changes.
  var changeable: String { "\(version)$\(deviceName ?? "")" }
}
