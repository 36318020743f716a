import Model

/// The copy menu: what can be put on the clipboard here.
package enum CopyMenu {
  package struct Entry: Sendable {
    let name: String
    let text: String
    let isPrivate: Bool
    package init(_ name: String, _ text: String, isPrivate: Bool = false) {
      self.name = name
      self.text = text
      self.isPrivate = isPrivate
    }
  }

  package static func dialog(_ entries: [Entry]) -> MenuDialog {
    MenuDialog(
      title: "Copy",
      entries: entries.map { entry in
        let short = entry.text.prefix(120).split(whereSeparator: \.isNewline).joined(separator: " ")
        return MenuDialog.Entry(entry.name, detail: short, isPrivate: entry.isPrivate) {
          [.copy(entry.text, name: entry.name)]
        }
      }, verb: "copy")
  }
}

extension MenuDialog {
  /// The rows that are shown at once, or all of them as a job.
  static func export(
    csv: @escaping @Sendable () -> String, location: Location, query: ListQuery, name: String
  ) -> MenuDialog {
    MenuDialog(
      title: "Export",
      entries: [
        Entry("All rows into a CSV file", detail: "\(name).csv") {
          [.order(.export(location, query, name: "\(name).csv"))]
        },
        Entry("Shown rows to the clipboard, as CSV") { [.copy(csv(), name: "Rows as CSV")] },
        Entry("Shown rows in $PAGER, as CSV") { [.outside(.pager(text: csv(), name: "\(name).csv"))] },
      ], verb: "export")
  }

  /// Themes, each shown while it is selected; Esc brings the old one back.
  static func themes(_ world: World) -> MenuDialog {
    let themes = world.themes
    return MenuDialog(
      title: "Theme",
      entries: themes.map { theme in
        Entry(theme.title, detail: theme.name) {
          [
            .useTheme(theme.name),
            .say(Message(.good, "Theme \(theme.title); theme: \(theme.name) in config.yaml keeps it")),
          ]
        }
      }, start: themes.firstIndex { $0.name == world.theme } ?? 0, verb: "use", cancel: [.useTheme(world.theme)]
    ) { [.useTheme(themes[$0].name)] }
  }

  static func bookmarks(_ world: World) -> MenuDialog {
    MenuDialog(
      title: "Bookmarks",
      message: world.bookmarks.isEmpty ? "None yet: B bookmarks the place you are at." : "",
      entries: world.bookmarks.map { location in Entry(location.text) { [.open(location, nil)] } },
      isTyped: !world.bookmarks.isEmpty, verb: "go")
  }
}

extension ListingScreen {
  /// All columns, with those in view ticked; the menu comes back after each choice.
  func columnMenu(_ world: World) -> MenuDialog {
    let inView = Set(columnsInView(world).map(\.id))
    // The currency stands behind its amount and comes and goes with it.
    let offered = table.columns.filter { $0.kind != .currency || !table.columns.contains { $0.kind == .amount } }
    let entries = offered.map { column in
      let isShown = inView.contains(column.id)
      return MenuDialog.Entry((isShown ? "✓ " : "  ") + column.title, detail: column.id) {
        guard !isShown || inView.count > 1 else { return [.say(Message(.info, "One column must stay"))] }
        return [.column(column.id, isShown: !isShown), .run(.columns)]
      }
    }
    return MenuDialog(
      title: "Columns", message: "What does not fit gives way to what does.", entries: entries,
      start: offered.firstIndex { $0.id == chosenColumn } ?? 0, verb: "show or hide")
  }
}
