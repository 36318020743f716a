import Model
import Store
import Synchronization
import Wire

/// SAP Mobile Platform (once Sybase Unwired Platform) as one of Atrium's back ends.
public struct UnwiredBackend: Backend {
  /// The application below, with its statuses, for what the five nouns do not say.
  public let application: MobileApplication
  public var client: UnwiredClient { application.client }
  let connection: Connection
  let surroundings: Surroundings
  /// Sets that are shown; nil for every one of the service.
  let sets: [String]?
  let described = Described()
  let offline: OfflineAccess
  /// What happens during synchronisations.
  let told = EventChannel<SynchronizationEvent>()

  /// What holds for as long as this back end lives.
  final class Described: Sendable {
    /// What the service said of its data; read once.
    let metadata = Mutex<ODataMetadata?>(nil)
    /// Personalisation keys of the session, by set.
    let session = Mutex<[String: [String: String]]>([:])
    let isStorageLow = Mutex(false)
  }

  /// - Throws: `.configuration` naming the setting that is wrong.
  public init(connection: Connection, transport: any Transport, surroundings: Surroundings) throws(ServiceError) {
    self.connection = connection
    self.surroundings = surroundings
    let settings = connection.settings
    let method = try settings.text("auth.method") ?? "basic"
    let proofs: [String: UnwiredServer.Proof] = [
      "basic": .password, "certificate": .certificate, "none": .nothing, "anonymous": .nothing,
    ]
    guard let proof = proofs[method] else {
      throw ServiceError(
        .configuration, "read the setting “auth.method”",
        detail: "“\(method)” is no sign-in method of SAP Mobile Platform; use basic, certificate or none")
    }
    if proof == .certificate, try settings.text("tls.certificate") == nil {
      throw ServiceError(
        .configuration, "read the setting “auth.method”", detail: "there is no certificate to show",
        remedy: "Name its file as tls.certificate, and its key's as tls.key.")
    }
    let stream = try settings.text("streamParams").map { text throws(ServiceError) in
      try StreamParameters(parsing: text)
    }
    let suffix = try settings.text("urlSuffix") ?? ""
    let server = try UnwiredServer(
      address: try settings.requiredText("url"), application: try settings.requiredText("app"),
      urlSuffix: suffix.isEmpty ? stream?.urlSuffix ?? "" : suffix, farm: try settings.text("farm") ?? "",
      domain: try settings.text("domain"), securityConfiguration: try settings.text("securityConfiguration"),
      proof: proof, endpoint: try settings.text("endpoint"), version: try settings.text("version"),
      backend: try settings.text("backendURL"))
    sets = try settings.texts("sets")
    offline = OfflineAccess(connection: connection.name, surroundings: surroundings)
    application = MobileApplication(
      UnwiredClient(server: server, transport: transport), isManual: settings["activationCode"] != nil)
  }

  /// For the kit, which brings its application along.
  init(
    _ application: MobileApplication, connection: Connection, surroundings: Surroundings, sets: [String]?
  ) {
    self.application = application
    self.connection = connection
    self.surroundings = surroundings
    self.sets = sets
    offline = OfflineAccess(connection: connection.name, surroundings: surroundings)
  }

  public var kind: BackendKind { .unwired }
  public var capabilities: Capabilities { [.upload, .delete, .rawCall, .offline] }

  public func nature(of location: Location) async throws(ServiceError) -> LocationNature {
    switch try UnwiredPlace(location) {
    case .root, .live, .set, .relation, .kept, .keptSet, .pending, .parameters: return .container
    case .connection, .entity, .keptRow, .edit, .parameter: return .item
    }
  }
}

extension UnwiredBackend {
  /// Says what was being done in the words of this back end.
  func during<Value>(
    _ operation: String, _ work: () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
    do throws(ServiceError) {
      return try await work()
    } catch {
      throw error.during(operation)
    }
  }

  func changing<Value>(
    _ operation: String, _ work: () async throws(ServiceError) -> Value
  ) async throws(ServiceError) -> Value {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    return try await during(operation, work)
  }

  /// What the service says of its data; nil where it does not say it, which costs only types and titles.
  func metadata() async throws(ServiceError) -> ODataMetadata? {
    if let known = described.metadata.withLock({ $0 }) { return known }
    do throws(ServiceError) {
      let found = try await client.metadata()
      described.metadata.withLock { $0 = found }
      return found
    } catch {
      guard [.notFound, .unreadable, .failed, .notOffered].contains(error.code) else { throw error }
      return nil
    }
  }
}
