import Model

/// What stands where content would be: loading, empty, failed.
package enum StateView {
  package static func loading(_ what: String, into buffer: inout CellBuffer, area: Area, world: World) {
    let line = Line([Span("\(Spinner.frame(world.now)) ", .accent), Span("\(what)…", .dim)])
    center([line], into: &buffer, area: area)
  }

  package static func empty(_ title: String, _ advice: [String], into buffer: inout CellBuffer, area: Area) {
    center(
      Wrap.lines(title, columns: area.columns - 4).map { Line($0, .text) } + [Line()] + advice.map { Line($0, .dim) },
      into: &buffer, area: area)
  }

  /// What failed, why, what to do, and the keys that do it.
  package static func failed(
    _ error: ServiceError, into buffer: inout CellBuffer, area: Area, world: World, place: Place
  ) {
    let columns = min(72, area.columns - 4)
    guard columns > 0 else { return }
    let keys: [(String, String)] = [
      (world.keys.sign(for: .refresh, in: place), error.code == .signInNeeded ? "sign in and try again" : "try again"),
      (world.keys.sign(for: .exchanges, in: place), "exchange log"), (world.keys.sign(for: .back, in: place), "back"),
    ]
    var spans: [Span] = []
    for (sign, words) in keys {
      let used = spans.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
      guard used + 4 + TextWidth.columns(of: sign + words) <= columns else { break }
      if !spans.isEmpty { spans.append(Span("   ", .dim)) }
      spans += [Span(sign, .key, bold: true), Span(" \(words)", .dim)]
    }
    let what = error.code == .cancelled ? "Stopped: \(error.operation)" : "Could not \(error.operation)"
    var lines = Wrap.lines("✗ \(what)", columns: columns).map { Line($0, .bad, bold: true) } + [Line()]
    lines += Wrap.lines(sentence(error.reason), columns: columns).map { Line($0) }
    lines += Wrap.lines(advice(of: error), columns: columns).map { Line($0, .dim) }
    lines += [Line(), Line(spans)]
    block(lines, columns: min(columns, lines.map(\.columns).max() ?? 0), into: &buffer, area: area)
  }

  /// The error's advice in this program's keys rather than in its commands.
  package static func advice(of error: ServiceError) -> String {
    if error.remedy != nil { return error.advice }
    switch error.code {
    case .signInNeeded: return "Sign in when asked, or with “sign in” from the palette (Ctrl-P)."
    case .vaultLocked: return "Unlock the vault when asked."
    case .tooLarge: return "Filter on the server's side, or fetch it with: atrium call."
    case .offline: return "Start Atrium without --offline."
    default: return error.advice
    }
  }

  static func sentence(_ text: String) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }

  /// Lines each in the middle.
  private static func center(_ lines: [Line], into buffer: inout CellBuffer, area: Area) {
    let top = area.row + max(0, (area.rows - lines.count) / 3)
    for (offset, line) in lines.enumerated() where top + offset < area.endRow {
      let columns = min(line.columns, max(0, area.columns - 2))
      buffer.put(
        line, column: area.column + (area.columns - columns) / 2, row: top + offset, columns: columns)
    }
  }

  /// Lines with a common left edge, the block in the middle.
  private static func block(_ lines: [Line], columns: Int, into buffer: inout CellBuffer, area: Area) {
    let top = area.row + max(0, (area.rows - lines.count) / 3)
    let left = area.column + max(2, (area.columns - columns) / 2)
    for (offset, line) in lines.enumerated() where top + offset < area.endRow {
      buffer.put(line, column: left, row: top + offset, columns: area.endColumn - left - 1)
    }
  }
}
