import FoundationEssentials
import JSON
import Model
import Store
import Synchronization

/// What was noted, as this process knows it.
final class EventLog: Sendable {
  struct Log {
    var isOn: Bool
    var session: String?
    var entries: [MobileAnalytics.Entry] = []
    var place = MobileAnalytics.ContextLocation()
    var observer: (@MainActor @Sendable (MobileAnalytics.Report) -> Void)?
    var isPosting = false
    /// Whether what the store holds has been taken in.
    var isLoaded = false
    fileprivate var isAnswered = false
    fileprivate var serial = 0
  }

  private let state: Mutex<Log>

  init(isOn: Bool) { state = Mutex(Log(isOn: isOn)) }

  func withLock<Value: Sendable>(_ body: (inout sending Log) -> sending Value) -> Value { state.withLock(body) }

  /// Forgets what belongs to the user who goes; the store has it still.
  func forget(isOn: Bool) {
    state.withLock { log in
      let (place, observer) = (log.place, log.observer)
      log = Log(isOn: isOn, place: place, observer: observer)
    }
  }
}

extension EventLog.Log {
  var waiting: [MobileAnalytics.Entry] { entries.filter { $0.state == .waiting } }

  /// True for the first who asks.
  mutating func takesFirstAnswer() -> Bool {
    defer { isAnswered = true }
    return !isAnswered
  }

  /// True unless somebody is at it.
  mutating func beginsPosting() -> Bool {
    defer { isPosting = true }
    return !isPosting
  }

  /// - Parameter random: Keeps the names of two processes apart that note at the same moment.
  /// - Returns: The new entries, and the names of those that had to go for them.
  mutating func note(
    _ events: [AnalyticsEvent], _ random: [UInt8]
  ) -> (noted: [MobileAnalytics.Entry], gone: [String]) {
    let noted = events.map { event in
      serial += 1
      let moment = String(event.timestamp.milliseconds)
      let number = String(serial)
      let key =
        String(repeating: "0", count: max(0, 15 - moment.count)) + moment + "-"
        + String(repeating: "0", count: max(0, 6 - number.count)) + number + "-"
        + random.map { String($0, radix: 16) }.joined()
      return MobileAnalytics.Entry(event: event, state: .waiting, key: key)
    }
    entries += noted
    var gone: [String] = []
    while entries.count > MobileAnalytics.mostEntries {
      // What has been posted goes first.
      gone.append(entries.remove(at: entries.firstIndex { $0.state != .waiting } ?? 0).key)
    }
    return (noted, gone)
  }

  /// Takes in what the store holds, which another process may have added to or posted.
  mutating func take(_ kept: [MobileAnalytics.Entry]) {
    let known = Set(kept.map(\.key))
    entries = (entries.filter { !known.contains($0.key) } + kept).sorted { $0.key < $1.key }
  }

  /// - Returns: The entries that changed.
  mutating func settle(_ keys: Set<String>, as state: MobileAnalytics.State) -> [MobileAnalytics.Entry] {
    for index in entries.indices where keys.contains(entries[index].key) { entries[index].state = state }
    return entries.filter { keys.contains($0.key) }
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

// Events in the encrypted store.
extension MobileStore {
  private static let eventsPath = "@events"
  private static let choicePath = "@analytics"

  func events() throws(OfflineError) -> [MobileAnalytics.Entry] {
    try rows(of: MobileStore.eventsPath).compactMap { MobileAnalytics.Entry($0) }.sorted { $0.key < $1.key }
  }

  func keep(_ entries: [MobileAnalytics.Entry]) throws(OfflineError) {
    var download = OfflineDownload(
      try store.madeSet(named: name(MobileStore.eventsPath)), isWhole: false, of: store)
    try download.add(entries.map(\.row))
    try store.keep([download])
  }

  func forgetEvents(_ keys: [String]) throws(OfflineError) {
    for key in keys { try remove(key, of: MobileStore.eventsPath) }
  }

  /// Whether somebody opted in, or out again; nil when nobody did either.
  func notesEvents() throws(OfflineError) -> Bool? {
    guard case .bool(let isOn)? = try row("choice", of: MobileStore.choicePath)?["on"] else { return nil }
    return isOn
  }

  func choose(notesEvents isOn: Bool) throws(OfflineError) {
    try keep(
      OfflineRow(key: "choice", tag: nil, properties: [.init(key: "on", value: .bool(isOn))]),
      of: MobileStore.choicePath)
  }
}

extension MobileAnalytics.Entry {
  fileprivate var row: OfflineRow {
    OfflineRow(
      key: key, tag: nil,
      properties: [
        .init(key: "state", value: .string(state.rawValue)), .init(key: "name", value: .string(event.name)),
        .init(key: "system", value: .bool(event.isSystem)),
        .init(key: "at", value: .integer(event.timestamp.milliseconds)),
        .init(key: "session", value: event.sessionID.map { .string($0) } ?? .null),
        .init(key: "component", value: event.component.map { .string($0) } ?? .null),
        .init(
          key: "properties",
          value: .object(event.properties.map { .init(key: $0.key, value: .string($0.value)) })),
      ])
  }

  fileprivate init?(_ row: OfflineRow) {
    guard let state = row.text("state").flatMap(MobileAnalytics.State.init), let name = row.text("name"),
      let at = row.moment("at")
    else { return nil }
    var properties: [String: String] = [:]
    if case .object(let members)? = row["properties"] {
      for member in members { if case .string(let text) = member.value { properties[member.key] = text } }
    }
    self.init(
      event: AnalyticsEvent(
        name, isSystem: row["system"] == .bool(true), at: at, session: row.text("session"),
        component: row.text("component"), properties: properties), state: state, key: row.key)
  }
}
