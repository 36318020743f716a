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
}

extension ApplicationEvent: CustomStringConvertible {
  public var description: String {
    switch self {
    case .registration(let status, _): status.rawValue
    case .connection(let status, _): status.rawValue
    case .settingsChanged(let names): "settings: \(names.joined(separator: ", "))"
    case .communicationError(let status, let message): "http \(status): \(message)"
    }
  }
}
