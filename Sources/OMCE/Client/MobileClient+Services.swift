import Model

/// The services of a backend, each made from it when it is asked for.
extension MobileClient {
  public var analytics: MobileAnalytics { MobileAnalytics(client: self) }
  public var notifications: MobileNotifications { MobileNotifications(client: self) }
  public var diagnostics: MobileDiagnostics { MobileDiagnostics(surroundings: offline.surroundings) }
}
