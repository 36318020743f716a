import Model
import Wire

/// Where a registration stands (`SUPRegistrationStatus`). Only the names were ever published, so only they are used.
public enum RegistrationStatus: String, Sendable, CaseIterable {
  case unregistered, registering, registered, unregistering
  /// Final for the attempt: nothing goes on in the background.
  case registrationError
}

/// Where a connection stands (`SUPConnectionStatus`). There is no push here, so it never waits for a notification.
public enum ConnectionStatus: String, Sendable, CaseIterable {
  case disconnected, connecting, connected, disconnecting
  /// Temporary: attempts go on until one succeeds or the connection is stopped.
  case connectionError
}

/// What of a device's condition can be told from here. Flight mode and roaming belong to a telephone: without a network
/// both are out of coverage.
public enum DeviceCondition: String, Sendable, CaseIterable {
  case normal, outOfCoverage
}

/// What an application is told while it lives (`SUPApplicationCallback`).
public enum ApplicationEvent: Sendable {
  /// `onRegistrationStatusChanged`; the error where it was one.
  case registration(RegistrationStatus, ServiceError?)
  /// `onConnectionStatusChanged`.
  case connection(ConnectionStatus, ServiceError?)
  /// `onApplicationSettingsChanged`: names of settings that the server has changed.
  case settingsChanged([String])
  /// `onHttpCommunicationError`: 401 for authentication, 403 for authorisation.
  case communicationError(status: Int, message: String)
  /// `onDeviceConditionChanged`.
  case deviceCondition(DeviceCondition)
  /// `onCustomizationBundleDownloadComplete`, as far as REST goes: the server names another bundle; nil for none.
  case customizationBundle(String?)
  /// `onPushNotification`: what the app was handed by its device's push service and passed on.
  case pushNotification([String: String])
}

extension ApplicationEvent: CustomStringConvertible {
  public var description: String {
    switch self {
    case .registration(let status, _): status.rawValue
    case .connection(let status, _): status.rawValue
    case .settingsChanged(let names): "settings: \(names.joined(separator: ", "))"
    case .communicationError(let status, let message): "http \(status): \(message)"
    case .deviceCondition(let condition): "device: \(condition.rawValue)"
    case .customizationBundle(let id): "bundle: \(id ?? "none")"
    case .pushNotification(let values): "push: \(values.keys.sorted().joined(separator: ", "))"
    }
  }
}
