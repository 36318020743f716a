import Model
import Screens

/// The rows below the screen that belong to the stage: what the presenter wants said, and the keys as they are pressed.
struct StageStrip: Sendable, Equatable {
  var caption: String?
  var showsKeys: Bool
  /// Said to the presenter in place of the keys.
  var notice: String?
  private var keys: [String] = []
  /// Whether the next key belongs to those shown; else it begins anew.
  private var isFresh = true

  init(showsKeys: Bool) { self.showsKeys = showsKeys }

  private static let mostKeys = 24

  /// Notes a key; typed characters run together.
  mutating func note(_ sign: String) {
    if isFresh { keys = [] }
    isFresh = false
    keys.append(sign)
    if keys.count > StageStrip.mostKeys { keys.removeFirst() }
  }

  /// What comes is something new.
  mutating func breakKeys() { isFresh = true }

  mutating func clearKeys() {
    keys = []
    isFresh = true
  }

  /// Rows that the longest of some captions needs; none when there is nothing to show.
  static func rows(for captions: [String], showsKeys: Bool, columns: Int) -> Int {
    guard !captions.isEmpty || showsKeys else { return 0 }
    let lines = captions.map { Wrap.lines($0, columns: captionColumns(columns, showsKeys: showsKeys)).count }
    return min(3, max(1, lines.max() ?? 1))
  }

  private static func captionColumns(_ columns: Int, showsKeys: Bool) -> Int {
    max(10, showsKeys ? columns - columns / 4 - 3 : columns - 2)
  }

  func render(into buffer: inout CellBuffer, area: Area) {
    guard !area.isEmpty else { return }
    buffer.fill(area, style: Style(.text, on: .header))
    if let caption {
      let columns = StageStrip.captionColumns(area.columns, showsKeys: showsKeys)
      for (offset, line) in Wrap.lines(caption, columns: columns).prefix(area.rows).enumerated() {
        buffer.put(
          line, column: area.column + 1, row: area.row + offset, columns: columns, style: Style(.title, on: .header))
      }
    }
    let room = area.columns / 4
    if let notice {
      let style = Style(.warning, on: .header)
      buffer.putRight(
        notice, endColumn: area.endColumn - 1, row: area.endRow - 1, columns: area.columns - 2, style: style)
    } else if showsKeys, !keys.isEmpty {
      buffer.putRight(
        shownKeys(columns: room), endColumn: area.endColumn - 1, row: area.endRow - 1, columns: room,
        style: Style(.key, on: .header, bold: true))
    }
  }

  /// The last keys that fit; words among them stand apart, letters together.
  private func shownKeys(columns: Int) -> String {
    var text = ""
    var isWordBefore = false
    for sign in keys {
      let isWord = sign.count > 1 || sign == "⏎"
      if !text.isEmpty, isWord || isWordBefore { text += " " }
      text += sign
      isWordBefore = isWord
    }
    while TextWidth.columns(of: text) > columns, !text.isEmpty { text.removeFirst() }
    return text
  }
}
