import Model

/// What all screens see and none of them owns.
package struct World: Sendable {
  package var now: Timestamp
  package var zone: LocalTime
  package var keys: KeyMap
  package var size: Size
  /// Masks what is private.
  package var isPrivate = false
  package var connections: [ConnectionInfo]
  package var themes: [ThemeInfo] = []
  /// Name of the theme in use.
  package var theme = ""
  package var jobs: [JobInfo] = []
  package var bookmarks: [Location] = []
  package var hasMouse = true
  /// Rows above the screens: the places, and over them the tabs where there are several.
  var headRows = 1
  /// Milliseconds without a key after which the screen is locked; nil for never.
  package var lockAfter: Int64?
  /// Whether anything outside ASCII may be drawn.
  package var isUnicode = true
  /// Colours the terminal has, for pictures; 0 for none.
  package var colors = 256
  /// The terminal's own graphics, where it has some.
  package var canvas: Graphic.Canvas?
  /// What stays from one start to the next.
  package var memory = Memory()
  /// What takes the last change back.
  package var undo: [Undo] = []
  /// Where downloads go.
  package var downloadDirectory = "."

  package init(
    now: Timestamp = Timestamp(milliseconds: 0), zone: LocalTime = .utc, keys: KeyMap = .standard,
    size: Size = Size(columns: 80, rows: 24), connections: [ConnectionInfo] = []
  ) {
    self.now = now
    self.zone = zone
    self.keys = keys
    self.size = size
    self.connections = connections
  }

  package func connection(_ name: String) -> ConnectionInfo? { connections.first { $0.name == name } }

  /// What lies between header and footer.
  package var body: Area {
    Area(column: 0, row: headRows, columns: size.columns, rows: size.rows - headRows - 1)
  }

  /// From here on a preview of the selected row stands at the right.
  package static let previewColumns = 100
  package var hasPreview: Bool { size.columns >= World.previewColumns && size.rows >= 8 }
}

/// A connection as people see it.
package struct ConnectionInfo: Sendable {
  package enum State: Sendable, Hashable {
    /// Nothing was asked yet.
    case untouched
    case signedOut
    case live(user: String?)
    case offline
    case unreachable(String)
  }

  package var name: String
  package var kind: BackendKind
  package var address: String
  package var state: State
  /// `#rrggbb`, so that production looks different.
  package var color: String?
  package var isReadOnly: Bool
  package var capabilities: Capabilities

  package init(
    name: String, kind: BackendKind, address: String = "", state: State = .untouched, color: String? = nil,
    isReadOnly: Bool = false, capabilities: Capabilities = []
  ) {
    self.name = name
    self.kind = kind
    self.address = address
    self.state = state
    self.color = color
    self.isReadOnly = isReadOnly
    self.capabilities = capabilities
  }

  package var root: Location { Location(connection: name) }
}

package struct ThemeInfo: Sendable, Hashable {
  package let name: String
  package let title: String
  package init(name: String, title: String) {
    self.name = name
    self.title = title
  }
}

/// A download, an upload or another long piece of work.
package struct JobInfo: Sendable, Hashable, Identifiable {
  package enum State: Sendable, Hashable {
    case waiting, running, paused, done
    case cancelled
    case failed(String)
  }

  package var id: Int
  package var title: String
  package var state: State
  package var done: Int64
  package var total: Int64?
  /// Bytes a second of late; nil when unknown.
  package var rate: Double?
  package var canPause: Bool
  /// Else rows.
  package var countsBytes: Bool
  /// Where it ended up: a path, or a location.
  package var result: String?
  /// The connection that it synchronises.
  package var synchronizes: String?

  package init(
    id: Int, title: String, state: State, done: Int64 = 0, total: Int64? = nil, rate: Double? = nil,
    canPause: Bool = false, countsBytes: Bool = true, result: String? = nil, synchronizes: String? = nil
  ) {
    self.id = id
    self.title = title
    self.state = state
    self.done = done
    self.total = total
    self.rate = rate
    self.canPause = canPause
    self.countsBytes = countsBytes
    self.result = result
    self.synchronizes = synchronizes
  }

  package var isOver: Bool {
    switch state {
    case .waiting, .running, .paused: false
    case .done, .cancelled, .failed: true
    }
  }

  package var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, max(0, Double(done) / Double(total)))
  }

  package var secondsLeft: Int64? {
    guard let total, let rate, rate > 0, state == .running else { return nil }
    return Int64((Double(max(0, total - done)) / rate).rounded(.up))
  }
}
