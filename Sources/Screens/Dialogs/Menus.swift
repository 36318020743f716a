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
