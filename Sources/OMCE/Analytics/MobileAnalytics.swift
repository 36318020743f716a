import JSON
import Model
import Synchronization
import Wire

/// Notes events and posts them in batches (`OMCAnalytics`). Nothing is noted unless the connection says `analytics: true`
/// or the app opts in, and nothing is posted while the profile says `dryRun`.
public struct MobileAnalytics: Sendable {
  /// Where events stand.
  public enum State: String, Sendable { case waiting, posted, dry = "not posted" }

  public struct Entry: Sendable, Hashable {
    public let event: AnalyticsEvent
    public internal(set) var state: State
  }

  /// Where an event comes from: a position, or a place by its names.
  public struct ContextLocation: Sendable, Hashable {
    public var country: String?
    public var region: String?
    public var locality: String?
    public var postalCode: String?

    public init(country: String? = nil, region: String? = nil, locality: String? = nil, postalCode: String? = nil) {
      self.country = country
      self.region = region
      self.locality = locality
      self.postalCode = postalCode
    }
  }

  /// So many waiting events are posted without being told to.
  static let batch = 50
  /// So many entries the log keeps.
  static let mostEntries = 1000

  let client: MobileClient
  private var state: EventLog { client.events }

  /// Whether events are noted (`optOut`, turned round: nobody is in who did not say so).
  public var isOptedIn: Bool {
    get { state.withLock { $0.isOn } }
    nonmutating set { state.withLock { $0.isOn = newValue } }
  }

  /// Goes with calls of custom APIs, so that what the server notes joins the same session.
  public var sessionID: String? { state.withLock { $0.session } }
  public var log: [Entry] { state.withLock { $0.entries } }

  /// Where the next session's events come from (`setContextLocationCountry:region:locality:postalCode:`).
  public func setContextLocation(_ place: ContextLocation) { state.withLock { $0.place = place } }
  public var contextLocation: ContextLocation { state.withLock { $0.place } }

  public func startSession() {
    let now = client.offline.surroundings.clock.now()
    let id = MobileHeaders.Identity.uuid(client.offline.surroundings.randomBytes(16))
    state.withLock { log in
      guard log.isOn, log.session == nil else { return }
      log.session = id
      log.note(AnalyticsEvent("context", isSystem: true, at: now, session: id, properties: log.context))
      log.note(AnalyticsEvent("sessionStart", isSystem: true, at: now, session: id))
    }
  }

  /// Notes the end and posts what waits.
  public func endSession() async throws(ServiceError) {
    let now = client.offline.surroundings.clock.now()
    state.withLock { log in
      guard let id = log.session else { return }
      log.note(AnalyticsEvent("sessionEnd", isSystem: true, at: now, session: id))
      log.session = nil
    }
    try await flush()
  }

  /// Notes an event; the first one begins a session.
  ///
  /// - Throws: `.usage` for what the collector would refuse.
  public func logEvent(
    _ name: String, component: String? = nil, properties: [String: String] = [:]
  ) throws(ServiceError) {
    guard isOptedIn else { return }
    if sessionID == nil { startSession() }
    let event = AnalyticsEvent(
      name, at: client.offline.surroundings.clock.now(), session: sessionID, component: component,
      properties: properties)
    if let objection = event.objections.first {
      throw ServiceError(.usage, "note the event “\(name.prefix(100))”", detail: objection)
    }
    let waiting = state.withLock { log in
      log.note(event)
      return log.entries.count { $0.state == .waiting }
    }
    if waiting >= MobileAnalytics.batch { Task { [self] in try? await flush() } }
  }

  /// Posts what waits, all or nothing; it goes on waiting when that fails. Works after an opt-out, too.
  public func flush() async throws(ServiceError) {
    let waiting = state.withLock { log -> [AnalyticsEvent] in
      guard !log.isPosting else { return [] }
      log.isPosting = true
      return log.entries.filter { $0.state == .waiting }.map(\.event)
    }
    defer { state.withLock { $0.isPosting = false } }
    guard !waiting.isEmpty else { return }
    let isDry = client.profile.analytics.isDryRun
    if !isDry { try await post(waiting) }
    let done = Set(waiting)
    state.withLock { log in
      for index in log.entries.indices
      where log.entries[index].state == .waiting && done.contains(log.entries[index].event) {
        log.entries[index].state = isDry ? .dry : .posted
      }
    }
  }

  private func post(_ events: [AnalyticsEvent]) async throws(ServiceError) {
    var call = MobileCall(
      "POST", "/mobile/platform/analytics/events", module: "Analytics", "post \(events.count) analytics events")
    call.setJSON(.array(events.map(\.node)))
    _ = try await client.demand(call)
  }
}

/// What was noted in this process.
final class EventLog: Sendable {
  struct Log {
    var isOn: Bool
    var session: String?
    var entries: [MobileAnalytics.Entry] = []
    var place = MobileAnalytics.ContextLocation()
    var isPosting = false
  }

  private let state: Mutex<Log>

  init(isOn: Bool) { state = Mutex(Log(isOn: isOn)) }

  func withLock<Value: Sendable>(_ body: (inout sending Log) -> sending Value) -> Value { state.withLock(body) }
}

extension EventLog.Log {
  mutating func note(_ event: AnalyticsEvent) {
    entries.append(.init(event: event, state: .waiting))
    guard entries.count > MobileAnalytics.mostEntries else { return }
    // What has been posted goes first.
    let gone = entries.firstIndex { $0.state != .waiting } ?? 0
    entries.remove(at: gone)
  }

  /// Nothing of the machine beyond what every terminal program tells.
  var context: [String: String] {
    var context = ["model": "Terminal", "osName": "Linux", "timezone": "0"]
    context["country"] = place.country
    context["region"] = place.region
    context["locality"] = place.locality
    context["postalCode"] = place.postalCode
    return context
  }
}
