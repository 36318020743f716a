import JSON
import Model

/// Where the server shall send push messages for this registration; each kind of device has a service of its own.
public enum PushTarget: Sendable, Hashable {
  case apple(token: Secret)
  case google(registrationID: Secret)
  case windowsPhone(channel: Secret)
  case windows(channel: Secret)
  /// None: switches off what an earlier one has switched on.
  case none

  /// The settings of a registration that say so (reference/unwired.md, section 3.4).
  var settings: [JSONNode.Member] {
    func on(_ flag: String, _ name: String, _ value: Secret) -> [JSONNode.Member] {
      [.init(key: flag, value: true), .init(key: name, value: .string(value.reveal()))]
    }
    return switch self {
    case .apple(let token): on("ApnsPushEnable", "ApnsDeviceToken", token)
    case .google(let id): on("AndroidGcmPushEnabled", "AndroidGcmRegistrationId", id)
    case .windowsPhone(let channel): on("MpnsPushEnable", "MpnsChannelURI", channel)
    case .windows(let channel): on("WnsPushEnable", "WnsChannelURI", channel)
    case .none:
      ["ApnsPushEnable", "AndroidGcmPushEnabled", "MpnsPushEnable", "WnsPushEnable"].map {
        JSONNode.Member(key: $0, value: false)
      }
    }
  }
}

// Push and bundles: what REST has of them.
extension MobileApplication {
  /// Tells the server where to send push messages. They arrive at the device's own service; an app hands them to
  /// `received(push:)`.
  public func setPush(_ target: PushTarget) async throws(ServiceError) {
    try await client.updateRegistration(target.settings)
  }

  /// Passes on a message that the device's push service has delivered (`onPushNotification`).
  public func received(push values: [String: String]) { events.post(.pushNotification(values)) }

  /// Waits for messages from the server itself (`NOTIFICATION_WAIT`).
  ///
  /// - Throws: `.notOffered`, always: see `NativeFeature.pushInbox`.
  public func waitForNotification() throws(ServiceError) {
    throw NativeFeature.pushInbox.refusal("wait for push messages")
  }

  /// Fetches the bundle that `ApplicationSettings.customizationBundleID` names.
  ///
  /// - Throws: `.notOffered`, always: see `NativeFeature.customizationBundle`.
  public func downloadCustomizationBundle() throws(ServiceError) -> [UInt8] {
    throw NativeFeature.customizationBundle.refusal("fetch the customisation bundle")
  }
}
