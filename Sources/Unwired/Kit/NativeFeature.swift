import Model

/// What only the native protocol offers, and why REST cannot.
public enum NativeFeature: String, Sendable, CaseIterable {
  case manualRegistration, pushInbox, customizationBundle, logUpload, serverJoin

  /// Why not, as a part of a sentence.
  public var reason: String {
    switch self {
    case .manualRegistration: "manual registration needs the native protocol"
    case .pushInbox: "messages come through a device's push service, and a terminal has none"
    case .customizationBundle: "the server names the bundle, but its address was never published"
    case .logUpload: "the service takes no log records"
    case .serverJoin: "a data service knows no joins"
    }
  }

  /// What to do in its place.
  public var advice: String {
    switch self {
    case .manualRegistration: "Register with a user name and a password, without an activation code."
    case .pushInbox: "Ask with refreshSettings and synchronize; hand what a device received to received(push:)."
    case .customizationBundle: "Ask the platform's administrator for it."
    case .logUpload: "Read them with logRecords and pass them on."
    case .serverJoin: "Synchronise the sets and ask here, or follow the relation of a row."
    }
  }

  func refusal(_ operation: String) -> ServiceError {
    ServiceError(.notOffered, operation, detail: reason, remedy: advice)
  }
}
