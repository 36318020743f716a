import Model

/// Commands that work the same whatever screen is open.
enum AppCommands {
  /// Those that no screen can refuse.
  static let handled: Set<Command> = [
    .go, .palette, .searchAll, .help, .exchanges, .transfers, .messages, .themes, .privacy, .bookmarks, .close, .quit,
    .vault, .sync, .suspend, .repaint, .mouse, .historyBack, .historyForward, .undo, .newTab, .nextTab, .previousTab,
    .closeTab, .split, .otherPane, .lock,
  ]

  /// The effects of a command; nil when it is the screen's.
  ///
  /// - Parameter count: What was typed before the key, where something was.
  static func run(_ command: Command, count: Int?, _ app: inout App) -> [Effect]? {
    switch command {
    case .go: return [.present(CommandLine(at: app.top?.crumb.location))]
    case .palette: return palette(app)
    case .help: return app.top is HelpScreen ? nil : help(app)
    case .exchanges: return exchanges(app)
    case .transfers: return app.top is TransfersScreen ? nil : [.push(TransfersScreen())]
    case .vault: return app.top is VaultScreen ? nil : [.push(VaultScreen())]
    case .sync: return app.top is SyncScreen ? nil : [.push(SyncScreen())]
    case .messages: return app.top is MessagesScreen ? nil : [.push(MessagesScreen(app.messages))]
    case .themes: return [.present(MenuDialog.themes(app.world))]
    case .bookmarks: return [.present(MenuDialog.bookmarks(app.world))]
    case .bookmark:
      guard let location = app.top?.crumb.location else {
        return [.say(Message(.warning, "This place has no location to bookmark"))]
      }
      return [.toggleBookmark(location)]
    case .search: return search(app)
    case .searchAll: return searchAny(app)
    case .signIn: return sign(app, in: true)
    case .signOut: return sign(app, in: false)
    case .undo: return undo(&app)
    case .historyBack: return app.walk(-1)
    case .historyForward: return app.walk(1)
    case .privacy: return privacy(&app)
    case .mouse: return mouse(app)
    case .repaint: return [.repaint]
    case .suspend: return [.suspend]
    case .newTab: return app.openTab()
    case .nextTab: return app.showTab(1, number: count)
    case .previousTab: return app.showTab(-1, number: count)
    case .closeTab: return app.closeTab()
    case .split: return app.split()
    case .otherPane: return app.otherPane()
    case .lock: return app.lockScreen()
    case .close: return close(&app)
    case .quit: return quit(app)
    default: return nil
    }
  }

  /// Of the connection in view; in the hall of all.
  private static func exchanges(_ app: App) -> [Effect]? {
    if app.top is ExchangesScreen { return nil }
    return [.push(ExchangesScreen(connection: app.top is ConnectionsScreen ? nil : app.connection))]
  }

  private static func palette(_ app: App) -> [Effect] {
    guard let top = app.top else { return [] }
    return [.present(MenuDialog.palette(for: top, trail: app.pane.trail.map(\.location), app.world))]
  }

  private static func help(_ app: App) -> [Effect] {
    guard let top = app.top else { return [] }
    let title: String
    switch top.crumb {
    case .location(let location): title = location.text
    case .title(let text): title = text
    }
    return [.push(HelpScreen(for: top, title: title, app.world))]
  }

  private static func search(_ app: App) -> [Effect]? {
    if app.top is SearchScreen || app.top is ExchangesScreen || app.top is SearchEverywhereScreen { return nil }
    guard let connection = app.connection else {
      return [.say(Message(.warning, "Choose a connection to search"))]
    }
    guard app.world.connection(connection)?.capabilities.contains(.search) == true else {
      return [.say(Message(.info, "\(connection) has no content search; / filters a list"))]
    }
    return [.push(SearchScreen(connection: connection))]
  }

  private static func searchAny(_ app: App) -> [Effect] {
    if app.top is SearchEverywhereScreen { return [.run(.search)] }
    guard !app.world.connections.isEmpty else { return [.say(Message(.info, "There is no connection to search"))] }
    return [.push(SearchEverywhereScreen())]
  }

  private static func sign(_ app: App, in isIn: Bool) -> [Effect] {
    guard let name = app.connection else { return [.say(Message(.warning, "Choose a connection first"))] }
    let root = Location(connection: name)
    return isIn
      ? [.errand(.signIn(connection: name), at: root, doing: "sign in to \(name)")]
      : [.errand(.signOut(connection: name), at: root, doing: "sign out of \(name)")]
  }

  private static func undo(_ app: inout App) -> [Effect] {
    guard let first = app.world.undo.first else {
      return [.say(Message(.info, "There is nothing to take back"))]
    }
    let steps = app.world.undo
    app.world.undo = []
    return [.errand(.undo(steps), at: first.location, doing: "take the last change back")]
  }

  private static func privacy(_ app: inout App) -> [Effect] {
    app.world.isPrivate.toggle()
    return [
      .say(Message(.info, app.world.isPrivate ? "Privacy: amounts, names and numbers are masked" : "Privacy is off"))
    ]
  }

  private static func mouse(_ app: App) -> [Effect] {
    let isOn = !app.world.hasMouse
    let text = isOn ? "Mouse on; hold Shift to select text" : "Mouse off; the terminal selects text again"
    return [.useMouse(isOn), .say(Message(.info, text))]
  }

  /// `q` closes the screen, with its last screen a pane and then a tab; at the top it quits.
  private static func close(_ app: inout App) -> [Effect] {
    if app.stack.count > 1 { return [.close] }
    if app.tabs[app.tab].isSplit { return app.closePane(app.tabs[app.tab].focus) }
    return app.tabs.count > 1 ? app.closeTab() : quit(app)
  }

  private static func quit(_ app: App) -> [Effect] {
    let running = app.world.jobs.count { !$0.isOver }
    return running == 0 ? [.quit] : [.present(ConfirmDialog.quit(jobs: running))]
  }
}
