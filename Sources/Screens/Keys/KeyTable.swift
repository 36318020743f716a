import Model

/// One row of the key table: handling, footer, help, palette and `keys:` all read it.
package struct KeyRow: Sendable, Hashable {
  package let command: Command
  package var keys: [Key]
  /// One or two words for the footer.
  package let hint: String
  /// A phrase for help and palette.
  package let help: String
  package let place: Place

  init(_ command: Command, _ keys: [Key], _ hint: String, _ help: String, _ place: Place = .everywhere) {
    self.command = command
    self.keys = keys
    self.hint = hint
    self.help = help
    self.place = place
  }
}

/// The key table as it ships. Where two rows share a key, the place decides, and the earlier row wins.
enum KeyTable {
  private static func c(_ character: Character) -> Key { .character(character) }

  static let rows: [KeyRow] = moving + looking + working + going + always

  private static let scrolls: Place = [.lists, .text, .items, .trees, .charts]

  private static let moving: [KeyRow] = [
    KeyRow(.up, [.up, c("k")], "up", "previous row", scrolls),
    KeyRow(.down, [.down, c("j")], "down", "next row", scrolls),
    KeyRow(.pageUp, [.pageUp, .control("b")], "page up", "a page up", scrolls),
    KeyRow(.mark, [c(" ")], "mark", "mark this row; actions then work on all marked", .lists),
    KeyRow(.pageDown, [.pageDown, .control("f"), c(" ")], "page", "a page down", scrolls),
    KeyRow(.halfPageUp, [.control("u")], "half up", "half a page up", scrolls),
    KeyRow(.halfPageDown, [.control("d")], "half down", "half a page down", scrolls),
    KeyRow(.first, [.home, c("g")], "top", "first row", scrolls),
    KeyRow(.last, [.end, c("G")], "end", "last known row", scrolls),
    KeyRow(.unfold, [.right, c("l")], "unfold", "unfold, or go in", .trees),
    KeyRow(.fold, [.left, c("h")], "fold", "fold, or go to what it belongs to; then back", .trees),
    KeyRow(.foldAll, [c("z")], "fold all", "fold or unfold everything", .trees),
    KeyRow(.nextPoint, [.right, c("l")], "next value", "next value of the chart", .charts),
    KeyRow(.previousPoint, [.left, c("h")], "previous value", "previous value of the chart", .charts),
    KeyRow(.open, [.enter, .right, c("l")], "open", "open what is selected", [.lists, .items, .trees]),
    KeyRow(
      .back, [.escape, .left, c("h"), .backspace], "back",
      "back; Esc first closes a prompt, then clears the filter, then the marks"),
    KeyRow(.historyBack, [c("["), .altLeft], "history back", "back in the history of places"),
    KeyRow(.historyForward, [c("]"), .altRight], "history on", "forward in the history of places"),
    KeyRow(.nextPane, [.tab], "pane", "next pane or field"),
    KeyRow(.previousPane, [.shiftTab], "previous pane", "previous pane or field"),
  ]

  private static let looking: [KeyRow] = [
    KeyRow(.filter, [c("/")], "filter", "filter this list as you type; find in text", [.lists, .text, .items, .trees]),
    KeyRow(.nextMatch, [c("n")], "next", "next match", scrolls),
    KeyRow(.previousMatch, [c("N")], "previous", "previous match", scrolls),
    KeyRow(.sort, [c("s")], "sort", "sort by the next column", .lists),
    KeyRow(.sortReverse, [c("S")], "reverse", "reverse the order", .lists),
    KeyRow(.columns, [c("c")], "columns", "choose the columns, their order and width", .lists),
    KeyRow(.markAll, [c("*")], "mark all", "mark all shown rows, or none", .lists),
    KeyRow(.follow, [c("w")], "follow", "follow: show new rows as they come", .lists),
    KeyRow(.loadAll, [c("L")], "load all", "load all pages of this list", .lists),
    KeyRow(.view, [c("v")], "view", "switch the view: table, chart; detail, content; text, tree, hex"),
    KeyRow(.wrap, [c("w")], "wrap", "wrap long lines, or cut them", .text),
  ]

  private static let working: [KeyRow] = [
    KeyRow(.replay, [c("R")], "send again", "send this request once more, changed as you like", .exchanges),
    KeyRow(.pauseJob, [c("p")], "pause", "pause this transfer, or let it go on", .transfers),
    KeyRow(.cancelJob, [.delete, c("c")], "cancel", "cancel this transfer", .transfers),
    KeyRow(.synchronize, [c("s")], "synchronise", "send what waits and fetch what has changed", .syncing),
    KeyRow(.addConnection, [c("+")], "add", "add a connection", .connections),
    KeyRow(.actions, [c("a")], "actions", "what can be done here, with reasons for what cannot"),
    KeyRow(.inspect, [c("i")], "inspect", "the answer as received, as a tree", [.items, .lists]),
    KeyRow(.copy, [c("y")], "copy", "copy a value, the row, the location, JSON, a curl command"),
    KeyRow(.export, [c("e")], "export", "write the list to a file: CSV, JSON and what the kind offers", .lists),
    KeyRow(
      .openOutside, [c("o")], "outside", "open in $PAGER, $EDITOR or with xdg-open", [.items, .lists, .text, .trees]),
    KeyRow(.download, [c("d")], "download", "download the content", .places),
    KeyRow(.upload, [c("u")], "upload", "upload a file to here", .places),
    KeyRow(
      .edit, [c("E")], "edit", "edit the file in $EDITOR: locked, fetched, stored as a version, unlocked", .places),
    KeyRow(
      .compare, [c("=")], "compare", "compare two that are marked: versions side by side, or exchanges",
      [.exchanges, .places]),
    KeyRow(.undo, [c("U")], "undo", "take the last change back, where the server can"),
    KeyRow(.delete, [.delete], "delete", "delete; always asks and names what goes", [.places, .vault]),
    KeyRow(.signIn, [], "sign in", "sign in to this connection"),
    KeyRow(.signOut, [], "sign out", "sign out of this connection"),
  ]

  private static let going: [KeyRow] = [
    KeyRow(.go, [c(":")], "go", "go to a location, or run a command by name"),
    KeyRow(.palette, [.control("p")], "palette", "find a command or a place, fuzzy"),
    KeyRow(.search, [c("f")], "search", "search the content of this connection"),
    KeyRow(.takeSuggestion, [.control("t")], "suggestion", "search for the spelling that was suggested", .places),
    KeyRow(.searchAll, [c("F")], "search all", "search all connections at once"),
    KeyRow(.exchanges, [c("x")], "exchanges", "exchange log: every request and its answer"),
    KeyRow(.transfers, [c("t")], "transfers", "transfers and jobs"),
    KeyRow(.sync, [], "sync", "offline data: last synchronisation, what waits, conflicts"),
    KeyRow(.vault, [], "vault", "the data vault: unlock, lock, PIN, what is kept"),
    KeyRow(.bookmarks, [c("b")], "bookmarks", "bookmarks"),
    KeyRow(.bookmark, [c("B")], "bookmark", "bookmark this place, or take the bookmark away"),
    KeyRow(.messages, [c("M")], "messages", "messages so far"),
    KeyRow(.newTab, [.control("n")], "new tab", "another tab, at this place"),
    KeyRow(.nextTab, [c("}")], "next tab", "next tab; with a count the tab of that number"),
    KeyRow(.previousTab, [c("{")], "previous tab", "previous tab"),
    KeyRow(.closeTab, [.control("w")], "close tab", "close this tab"),
    KeyRow(.split, [c("|")], "split", "two places side by side: the two marked, or this one twice; then one again"),
    KeyRow(.otherPane, [c("\\")], "other pane", "to the other pane"),
  ]

  private static let always: [KeyRow] = [
    KeyRow(.refresh, [c("r"), .function(5)], "refresh", "refresh from the server; try again"),
    KeyRow(.reload, [.control("r")], "reload", "reload everything under here"),
    KeyRow(.privacy, [c("m")], "privacy", "mask amounts, names and numbers"),
    KeyRow(.lock, [c("Z")], "lock", "blank the screen until the PIN of the vault is typed"),
    KeyRow(.themes, [c("T")], "themes", "themes, with live preview"),
    KeyRow(.mouse, [.function(2)], "mouse", "mouse on or off"),
    KeyRow(.help, [c("?"), .function(1)], "help", "help for this screen"),
    KeyRow(.cancel, [.control("c")], "cancel", "cancel what runs; twice within a second: quit"),
    KeyRow(.repaint, [.control("l")], "repaint", "draw the screen anew"),
    KeyRow(.suspend, [.control("z")], "suspend", "suspend the program"),
    KeyRow(.close, [c("q")], "close", "close this screen; at the top: quit"),
    KeyRow(.quit, [], "quit", "quit the program"),
  ]
}
