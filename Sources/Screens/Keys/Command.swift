/// Everything a key can do. The raw value is the name used by `keys:` in the configuration, by `:` and by the palette.
package enum Command: String, Sendable, CaseIterable {
  case up, down
  case pageUp = "page-up"
  case pageDown = "page-down"
  case halfPageUp = "half-page-up"
  case halfPageDown = "half-page-down"
  case first, last
  case open, back
  case historyBack = "history-back"
  case historyForward = "history-forward"
  case nextPane = "next-pane"
  case previousPane = "previous-pane"
  case filter
  case nextMatch = "next-match"
  case previousMatch = "previous-match"
  case sort
  case sortReverse = "sort-reverse"
  case columns, mark
  case markAll = "mark-all"
  case loadAll = "load-all"
  case searchAll = "search-all"
  case view, actions, go, palette, search, inspect, exchanges, copy, export
  case openOutside = "open-outside"
  case download, upload, transfers, refresh, reload, bookmarks, bookmark, privacy, themes, delete
  case signIn = "sign-in"
  case signOut = "sign-out"
  case addConnection = "add-connection"
  case vault, sync, synchronize
  case pauseJob = "pause-job"
  case cancelJob = "cancel-job"
  case fold, unfold
  case compare, replay, follow
  case nextPoint = "next-point"
  case previousPoint = "previous-point"
  case foldAll = "fold-all"
  case undo, edit
  case newTab = "new-tab"
  case nextTab = "next-tab"
  case previousTab = "previous-tab"
  case closeTab = "close-tab"
  case split
  case otherPane = "other-pane"
  case lock
  case takeSuggestion = "take-suggestion"
  case wrap, messages, mouse, help, cancel, repaint, suspend, close, quit
}

/// Where a key works. A screen says which of these it is.
package struct Place: OptionSet, Sendable, Hashable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  package static let lists = Place(rawValue: 1 << 0)
  package static let text = Place(rawValue: 1 << 1)
  package static let items = Place(rawValue: 1 << 2)
  package static let trees = Place(rawValue: 1 << 3)
  package static let connections = Place(rawValue: 1 << 4)
  package static let transfers = Place(rawValue: 1 << 5)
  /// Shows something of a server: a listing, an item, a search.
  package static let places = Place(rawValue: 1 << 6)
  package static let charts = Place(rawValue: 1 << 7)
  package static let exchanges = Place(rawValue: 1 << 8)
  package static let syncing = Place(rawValue: 1 << 9)
  package static let vault = Place(rawValue: 1 << 10)
  package static let everywhere = Place(rawValue: -1)

  /// In words for the help screen.
  package var title: String {
    if self == .everywhere { return "everywhere" }
    let names: [(Place, String)] = [
      (.lists, "lists"), (.text, "text"), (.items, "items"), (.trees, "trees"), (.connections, "connections"),
      (.transfers, "transfers"), (.places, "places"), (.charts, "charts"), (.exchanges, "exchanges"),
      (.syncing, "synchronisation"), (.vault, "the vault"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}
