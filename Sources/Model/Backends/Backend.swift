/// The kinds of back end, as configuration names them.
public enum BackendKind: String, Sendable, CaseIterable {
  case openbank, alfresco, omce, mobilefirst, unwired

  public var title: String {
    switch self {
    case .openbank: "Open Bank Project"
    case .alfresco: "Alfresco Content Services"
    case .omce: "Oracle Mobile Cloud"
    case .mobilefirst: "IBM MobileFirst"
    case .unwired: "SAP Mobile Platform"
    }
  }
}

/// What a location is to somebody who opens it.
public enum LocationNature: Sendable, Hashable {
  case container, item
  /// Can be listed and shown; `primary` is what opening it does.
  case both(primary: Row.Opening)
}

/// What a back end can do at all; what it cannot is an ordinary answer, not a failure.
public struct Capabilities: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let search = Capabilities(rawValue: 1 << 0)
  public static let download = Capabilities(rawValue: 1 << 1)
  public static let upload = Capabilities(rawValue: 1 << 2)
  public static let delete = Capabilities(rawValue: 1 << 3)
  public static let rawCall = Capabilities(rawValue: 1 << 4)
  public static let offline = Capabilities(rawValue: 1 << 5)
  public static let charts = Capabilities(rawValue: 1 << 6)
  /// The server puts several things into one archive, at the place that `archive` names.
  public static let archives = Capabilities(rawValue: 1 << 7)
}

/// One server behind one connection, spoken to in five nouns. Everything may be called from any task at any time.
///
/// All functions throw `ServiceError`; `.signInNeeded` makes the service layer call `signIn` once for all requests that
/// failed so, and repeat them. A back end never signs in on its own except where its protocol does it within a request
/// (MobileFirst's challenges), and never repeats a request: the service layer and the transport decide that.
public protocol Backend: Sendable {
  var kind: BackendKind { get }
  var capabilities: Capabilities { get }

  /// What opening a location shows; asks the server only where the path alone does not tell.
  func nature(of location: Location) async throws(ServiceError) -> LocationNature
  /// A page of a container. The root lists the entry points of the connection.
  func list(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing
  func item(_ location: Location) async throws(ServiceError) -> Item
  func search(_ request: SearchRequest) async throws(ServiceError) -> Listing
  /// Pictures of what stands at a place; several where it can be seen in several ways.
  func charts(of location: Location) async throws(ServiceError) -> [Chart]
  /// What a listing can be exported to beside CSV and JSON, from the path alone.
  func exportFormats(of location: Location) -> [ExportFormat]

  /// The place whose content is one archive of all these, from the paths alone; nil where the server makes none.
  func archive(of locations: [Location]) -> Location?

  /// Streams content into the sink and returns its head.
  func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead
  /// Returns where the thing stands now.
  func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location
  func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome
  /// Does an action that `item` or `list` offered, with the values of its form by field id.
  func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome

  /// Sends what waits in the offline store, then fetches what has changed on the server.
  func synchronize(progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome

  func call(_ call: RawCall, to sink: any ByteSink) async throws(ServiceError) -> RawReply

  func signIn(_ request: SignInRequest) async throws(ServiceError) -> SignInState
  func signOut(_ request: SignOutRequest) async throws(ServiceError)
  /// Who we are, from what is known here; asks the server only when `verifying`.
  func signInState(verifying: Bool) async throws(ServiceError) -> SignInState
}

extension Backend {
  public func search(_ request: SearchRequest) async throws(ServiceError) -> Listing {
    throw .notOffered("search", "\(kind.title) has no content search")
  }
  public func charts(of location: Location) async throws(ServiceError) -> [Chart] {
    throw .notOffered("draw \(location)", "nothing there can be drawn")
  }
  public func exportFormats(of location: Location) -> [ExportFormat] { [] }
  public func archive(of locations: [Location]) -> Location? { nil }
  public func download(
    _ location: Location, _ request: DownloadRequest, to sink: any ByteSink, progress: @escaping Progress
  ) async throws(ServiceError) -> ContentHead {
    throw .notOffered("download \(location)", "there is no content behind it")
  }
  public func upload(
    _ request: UploadRequest, to location: Location, progress: @escaping Progress
  ) async throws(ServiceError) -> Location {
    throw .notOffered("upload to \(location)", "nothing can be stored there")
  }
  public func delete(_ location: Location) async throws(ServiceError) -> ActionOutcome {
    throw .notOffered("delete \(location)", "it cannot be deleted")
  }
  public func perform(
    _ action: String, at location: Location, fields: [String: String]
  ) async throws(ServiceError) -> ActionOutcome {
    throw .notOffered(location.doing(action), "there is no action “\(action)” here")
  }
  public func synchronize(progress: @escaping Progress) async throws(ServiceError) -> ActionOutcome {
    throw .notOffered("synchronise", "\(kind.title) keeps nothing offline here")
  }
}

/// What a back end is given beside its connection and its transport.
public struct Surroundings: Sendable {
  public let asker: any Asker
  public let secrets: any SecretResolver
  public let keeper: any SecretKeeper
  public let stores: any OfflineStores
  public let clock: any WallClock
  /// `count` unpredictable bytes.
  public let randomBytes: @Sendable (_ count: Int) -> [UInt8]
  /// Answers only from what is stored here.
  public let isOffline: Bool

  public init(
    asker: any Asker, secrets: any SecretResolver, keeper: any SecretKeeper, clock: any WallClock,
    randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], isOffline: Bool = false,
    stores: any OfflineStores = NoOfflineStores()
  ) {
    self.asker = asker
    self.secrets = secrets
    self.keeper = keeper
    self.stores = stores
    self.clock = clock
    self.randomBytes = randomBytes
    self.isOffline = isOffline
  }
}
