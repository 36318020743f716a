import Model

extension ListingScreen {
  /// Commands that work on the selected or the marked rows.
  mutating func act(_ command: Command, _ world: World) -> [Effect] {
    switch command {
    case .actions:
      let marked = table.targets
      if marked.count > 1 { return [.present(ActionMenu(targets: marked.map(\.location)))] }
      let target = table.selected?.location ?? location
      return [.present(ActionMenu(target: target, item: preview.item(at: target), container: (location, actions)))]
    case .copy: return [.present(CopyMenu.dialog(copyEntries()))]
    case .inspect: return inspect()
    case .download: return download(world)
    case .edit: return table.selected.map { [.outside(.edit($0.location, name: name(of: $0)))] } ?? []
    case .compare:
      return comparison.map { pair in
        [.push(CompareScreen((pair.old.location, name(of: pair.old)), (pair.new.location, name(of: pair.new))))]
      } ?? []
    case .upload: return [.present(FormDialog.upload(to: location))]
    case .delete:
      let rows = table.targets
      guard !rows.isEmpty else { return [] }
      return [.present(ConfirmDialog.delete(rows.map(\.location), names: rows.map(name(of:)), from: location))]
    case .search: return [.run(.search)]
    case .openOutside:
      return table.selected.map { [.outside(.content($0.location, name: name(of: $0)))] } ?? []
    case .export:
      let csv: @Sendable () -> String = { [table] in Export.csv(table) }
      return [.present(ExportMenu(location: location, query: query, name: exportName, csv: csv))]
    default: return []
    }
  }

  /// Files come one by one; with a folder among them, or where there are many, one may have an archive instead.
  private func download(_ world: World) -> [Effect] {
    let targets = table.targets
    let canArchive = world.connection(location.connection)?.capabilities.contains(.archives) == true
    let files = targets.filter(\.hasContent)
    guard canArchive, targets.count > 1 || files.count < targets.count else {
      return files.map { .order(.download($0.location, name: name(of: $0))) }
    }
    let branches = targets.map { Branch($0.location, name: name(of: $0), isContainer: $0.opening == .listing) }
    let title = targets.count == 1 ? name(of: targets[0]) : "\(name(of: targets[0])) and \(targets.count - 1) more"
    return [
      .present(
        MenuDialog(
          title: "Download",
          entries: [
            MenuDialog.Entry("File by file, folders as folders", detail: title) {
              [.order(.downloadTree(branches, name: title))]
            },
            MenuDialog.Entry("As one archive, made by the server", detail: "zip") {
              [.order(.downloadArchive(branches.map(\.location), name: title))]
            },
          ], verb: "download"))
    ]
  }

  /// The two marked rows, or the selected one and the next below: in a list of versions the one before it.
  var comparison: (old: Row, new: Row)? {
    guard table.targetIndices.count <= 2 else { return nil }
    let marked = table.targets
    if marked.count == 2, marked.allSatisfy(\.hasContent) { return (marked[1], marked[0]) }
    guard marked.count == 1, let selected = table.selected, let below = table.row(at: table.scroller.selected + 1),
      selected.hasContent, below.hasContent
    else { return nil }
    return (below, selected)
  }

  /// Two marked rows in their order, to be looked at side by side.
  var markedPair: (first: Row, second: Row)? {
    let marked = table.marks.count == 2 ? table.targets : []
    return marked.count == 2 ? (marked[0], marked[1]) : nil
  }

  private func inspect() -> [Effect] {
    if let row = table.selected, row.opening != .nothing {
      return [.push(ViewerScreen(raw: row.location, title: name(of: row)))]
    }
    return raw.map { [.push(ViewerScreen(location: location, title: title, answer: $0))] } ?? []
  }

  private var exportName: String { (location.path.last ?? location.connection).filter { $0 != "\u{0}" && $0 != "/" } }

  /// What a person calls the row: its first text, else the end of its location.
  func name(of row: Row) -> String {
    for (column, value) in zip(table.columns, row.values) where column.rank == 0 && column.id != "id" {
      if case .text(let text) = value, !text.isEmpty { return text }
    }
    return row.location.path.last ?? row.location.text
  }

  private func copyEntries() -> [CopyMenu.Entry] {
    var entries = [CopyMenu.Entry("Location of this list", location.text)]
    guard let row = table.selected else { return entries }
    entries.insert(CopyMenu.Entry("Location", row.location.text), at: 0)
    entries.insert(CopyMenu.Entry("Row, tab-separated", Export.line(row, separator: "\t")), at: 0)
    for (column, value) in zip(table.columns, row.values) where !value.isNull {
      entries.append(CopyMenu.Entry(column.title, value.exactText, isPrivate: column.isPrivate))
    }
    if let raw = preview.item(at: row.location)?.raw {
      entries.append(CopyMenu.Entry("JSON as received", String(decoding: raw.bytes, as: UTF8.self), isPrivate: true))
    }
    return entries
  }
}

/// Rows as text for files and the clipboard: exact values.
enum Export {
  static func line(_ row: Row, separator: String) -> String {
    row.values.map { $0.exactText.replacing(separator, with: " ") }.joined(separator: separator)
  }

  /// RFC 4180 with a header of column ids, of the rows shown.
  static func csv(_ table: TableModel) -> String {
    var text = table.columns.map { quoted($0.id) }.joined(separator: ",") + "\r\n"
    for position in 0..<table.count {
      guard let row = table.row(at: position) else { continue }
      text += row.values.map { quoted($0.exactText) }.joined(separator: ",") + "\r\n"
    }
    return text
  }

  private static func quoted(_ text: String) -> String {
    guard text.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return text }
    return "\"" + text.replacing("\"", with: "\"\"") + "\""
  }
}
