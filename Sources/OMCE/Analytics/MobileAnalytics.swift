import JSON
import Model
import Store
import Wire

/// Notes events and posts them in batches (`OMCAnalytics`). Nothing is noted unless the connection says `analytics: true`
/// or somebody opts in, and nothing is posted while the profile says `dryRun`.
///
/// Where there is an encrypted store, events and the choice outlive the process: what was not posted goes out later.
public struct MobileAnalytics: CompletionCaller {
  /// Where events stand.
  public enum State: String, Sendable { case waiting, posted, dry = "not posted" }

  public struct Entry: Sendable, Hashable {
    public let event: AnalyticsEvent
    public internal(set) var state: State
    /// Names it in the store, and sorts what was noted.
    let key: String
  }

  /// Where an event comes from, by the names of the place.
  public struct ContextLocation: Sendable, Hashable {
    /// `contextLocationCountry`.
    public var country: String?
    /// `contextLocationRegion`.
    public var region: String?
    /// `contextLocationLocality`.
    public var locality: String?
    /// `contextLocationPostalCode`.
    public var postalCode: String?

    public init(country: String? = nil, region: String? = nil, locality: String? = nil, postalCode: String? = nil) {
      self.country = country
      self.region = region
      self.locality = locality
      self.postalCode = postalCode
    }
  }

  /// Told on the main actor what became of a batch (`delegate`).
  public enum Report: Sendable {
    /// `analytics:didPostEvents:response:responseData:`.
    case posted([AnalyticsEvent], MobileAnswer)
    /// `analytics:didFailWithError:`; the events go on waiting.
    case failed(ServiceError)
  }

  /// So many waiting events are posted without being told to.
  static let batch = 50
  /// So many entries the log keeps.
  static let mostEntries = 1000

  let client: MobileClient
  private var state: EventLog { client.events }
  private static let operation = "note events"

  /// Whether events are noted (`optOut`, turned round: nobody is in who did not say so).
  public var isOptedIn: Bool { state.withLock { $0.isOn } }

  /// Notes events from now on, or no more; the choice is kept where there is a store. What waits goes on waiting.
  public func optIn(_ isOn: Bool) async throws(ServiceError) {
    let store = try await opened(needed: true)
    state.withLock { $0.isOn = isOn }
    guard let store else { return }
    try keeping(MobileAnalytics.operation) { () throws(OfflineError) in try store.choose(notesEvents: isOn) }
  }

  /// Goes with calls of custom APIs, so that what the server notes joins the same session.
  public var sessionID: String? { state.withLock { $0.session } }

  /// What was noted, the earliest first.
  public func log() async throws(ServiceError) -> [Entry] {
    _ = try await opened(needed: true)
    return state.withLock { $0.entries }
  }

  /// Where the next session's events come from (`setContextLocationCountry:region:locality:postalCode:`).
  public func setContextLocation(_ place: ContextLocation) { state.withLock { $0.place = place } }
  public var contextLocation: ContextLocation { state.withLock { $0.place } }

  /// `reservedEventPropertyNames`.
  public static var reservedEventPropertyNames: Set<String> { AnalyticsEvent.reservedPropertyNames }

  /// Told of each batch; nil ends it (`delegate`).
  public func onReport(_ observer: (@MainActor @Sendable (Report) -> Void)?) {
    state.withLock { $0.observer = observer }
  }

  /// Begins a session, unless one has begun (`startSession`). An app begins one when it comes to the front and ends it
  /// when it goes (`OMCAnalyticsApplicationDelegate`).
  public func startSession() async throws(ServiceError) {
    let store = try await opened(needed: isOptedIn)
    let id = MobileHeaders.Identity.uuid(client.offline.surroundings.randomBytes(16))
    try note(in: store) { log, now in
      guard log.isOn, log.session == nil else { return [] }
      log.session = id
      return [
        AnalyticsEvent("context", isSystem: true, at: now, session: id, properties: log.context),
        AnalyticsEvent("sessionStart", isSystem: true, at: now, session: id),
      ]
    }
  }

  /// Notes the end and posts what waits (`endSession`).
  public func endSession() async throws(ServiceError) {
    guard sessionID != nil else { return try await flush() }
    let store = try await opened(needed: true)
    try note(in: store) { log, now in
      guard let id = log.session else { return [] }
      log.session = nil
      return [AnalyticsEvent("sessionEnd", isSystem: true, at: now, session: id)]
    }
    try await flush()
  }

  /// Notes an event; the first one begins a session (`logEvent:`, `logEvent:properties:`). Where there is a store, the
  /// event is on the disk when this returns.
  ///
  /// - Throws: `.usage` for what the collector would refuse.
  public func logEvent(
    _ name: String, component: String? = nil, properties: [String: String] = [:]
  ) async throws(ServiceError) {
    let store = try await opened(needed: isOptedIn)
    guard isOptedIn else { return }
    if sessionID == nil { try await startSession() }
    let event = AnalyticsEvent(
      name, at: client.offline.surroundings.clock.now(), session: sessionID, component: component,
      properties: properties)
    if let objection = event.objections.first {
      throw ServiceError(.usage, "note the event “\(name.prefix(100))”", detail: objection)
    }
    try note(in: store) { _, _ in [event] }
    if state.withLock({ $0.waiting.count }) >= MobileAnalytics.batch { Task { [self] in try? await flush() } }
  }

  /// Posts what waits, all or nothing; it goes on waiting when that fails (`flush`). Works after an opt-out, too.
  public func flush() async throws(ServiceError) {
    guard state.withLock({ $0.beginsPosting() }) else { return }
    defer { state.withLock { $0.isPosting = false } }
    let operation = "post the analytics events"
    let store = try await opened(needed: true)
    // One process posts at a time; what another one has posted meanwhile is not sent again.
    let lock: OfflineLock?
    if let store { lock = try await OfflineLock.hold(store.store, operation) } else { lock = nil }
    defer { withExtendedLifetime(lock) {} }
    if let store {
      let kept = try keeping(operation) { () throws(OfflineError) in try store.events() }
      state.withLock { $0.take(kept) }
    }
    let waiting = state.withLock { $0.waiting }
    guard !waiting.isEmpty else { return }
    let isDry = client.profile.analytics.isDryRun
    if !isDry { try await post(waiting.map(\.event)) }
    let done = state.withLock { $0.settle(Set(waiting.map(\.key)), as: isDry ? .dry : .posted) }
    guard let store else { return }
    try keeping(operation) { () throws(OfflineError) in try store.keep(done) }
  }

  private func post(_ events: [AnalyticsEvent]) async throws(ServiceError) {
    var call = MobileCall(
      "POST", "/mobile/platform/analytics/events", module: "Analytics", "post \(events.count) analytics events")
    call.setJSON(.array(events.map(\.node)))
    let observer = state.withLock { $0.observer }
    do throws(ServiceError) {
      let answer = try MobileAnswer(try await client.demand(call), call.operation)
      if let observer { Task { @MainActor in observer(.posted(events, answer)) } }
    } catch {
      if let observer { Task { @MainActor in observer(.failed(error)) } }
      throw error
    }
  }

  private func note(
    in store: MobileStore?, _ make: @Sendable (inout EventLog.Log, Timestamp) -> [AnalyticsEvent]
  ) throws(ServiceError) {
    let now = client.offline.surroundings.clock.now()
    let random = client.offline.surroundings.randomBytes(4)
    let (noted, gone) = state.withLock { log in log.note(make(&log, now), random) }
    guard let store, !noted.isEmpty else { return }
    try keeping(MobileAnalytics.operation) { () throws(OfflineError) in
      try store.keep(noted)
      try store.forgetEvents(gone)
    }
  }

  /// The store, with what earlier processes noted taken in once; nil where there is none.
  ///
  /// - Parameter needed: Whether to open one for this alone.
  private func opened(needed: Bool) async throws(ServiceError) -> MobileStore? {
    guard needed || client.offline.isInUse, let store = await client.storeAtHand(MobileAnalytics.operation) else {
      return nil
    }
    guard state.withLock({ !$0.isLoaded }) else { return store }
    let operation = MobileAnalytics.operation
    let (kept, choice) = try keeping(operation) { () throws(OfflineError) in
      (try store.events(), try store.notesEvents())
    }
    let settings = client.authorization.settings.notesEvents
    let early = state.withLock { log in
      log.take(kept)
      log.isLoaded = true
      if settings == nil, let choice { log.isOn = log.isOn || choice }
      let known = Set(kept.map(\.key))
      return log.entries.filter { !known.contains($0.key) }
    }
    if !early.isEmpty { try keeping(operation) { () throws(OfflineError) in try store.keep(early) } }
    return store
  }
}

extension MobileClient {
  /// Once a process, when the server has answered: posts what an earlier process noted and could not post.
  func postWhatWaits() async {
    guard offline.isInUse, events.withLock({ $0.takesFirstAnswer() }) else { return }
    guard (try? await analytics.log())?.contains(where: { $0.state == .waiting }) == true, analytics.isOptedIn else {
      return
    }
    try? await analytics.flush()
  }

  /// Notes what a person does here, for those who opted in; never stands in the way of it.
  func noteUse(_ name: String, component: String, _ properties: [String: String] = [:]) async {
    let short = properties.mapValues { String($0.prefix(1000)) }
    try? await analytics.logEvent(name, component: component, properties: short)
  }

  /// The store where one is at hand, for what goes on without one, too.
  func storeAtHand(_ operation: String) async -> MobileStore? {
    guard offline.isInUse || offline.settings != nil || offline.surroundings.keeper.isLasting else { return nil }
    return try? await openStore(operation)
  }
}
