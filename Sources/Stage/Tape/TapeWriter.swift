import Model

/// Writes a tape as text that `TapeReader` reads back; the keys `#` and `"` have no word there and must be typed.
package enum TapeWriter {
  package static func text(of tape: Tape) -> String {
    lines(of: tape.settings).joined() + "\n" + tape.cues.map { line(of: $0.step) }.joined()
  }

  private static func lines(of settings: Tape.Settings) -> [String] {
    let standard = Tape.Settings()
    var lines: [String] = []
    if let title = settings.title { lines.append("title \(quoted(title))\n") }
    if let size = settings.size { lines.append("size \(size.columns)x\(size.rows)\n") }
    if let theme = settings.theme { lines.append("theme \(theme)\n") }
    if let seed = settings.seed { lines.append("seed \(seed)\n") }
    if settings.clock != standard.clock { lines.append("clock \(settings.clock.rfc3339)\n") }
    if settings.pace != standard.pace { lines.append("pace \(time(settings.pace))\n") }
    if settings.connections != standard.connections { lines.append("connections \(settings.connections.rawValue)\n") }
    if settings.showsTimings { lines.append("timings real\n") }
    if !settings.showsKeys { lines.append("hide keys\n") }
    return lines
  }

  private static func line(of step: Tape.Step) -> String {
    switch step {
    case .type(let text): "type \(quoted(text))\n"
    case .typeVariable(let name): "type env \(name)\n"
    case .keys(let keys): "keys \(words(of: keys).joined(separator: " "))\n"
    case .wait(let text, let isGone, let limit):
      "wait \(isGone ? "gone " : "")\(quoted(text))\(limit == Tape.standardLimit ? "" : " \(time(limit))")\n"
    case .hold: "hold\n"
    case .pause(let length): "pause \(time(length))\n"
    case .caption(let text): "caption\(text.map { " \(quoted($0))" } ?? "")\n"
    case .screenshot(let name): "screenshot \(name)\n"
    case .film(let isOn): "film \(isOn ? "on" : "off")\n"
    case .showKeys(let isOn): "\(isOn ? "show" : "hide") keys\n"
    case .size(let size): "size \(size.columns)x\(size.rows)\n"
    case .theme(let name): "theme \(name)\n"
    }
  }

  /// Equal keys in a row become one word: `down*3`.
  private static func words(of keys: [Key]) -> [String] {
    var runs: [(key: Key, count: Int)] = []
    for key in keys {
      if runs.last?.key == key { runs[runs.count - 1].count += 1 } else { runs.append((key, 1)) }
    }
    return runs.map { run in
      let name = run.key.name
      return run.count == 1 ? name : "\(name)*\(run.count)"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }

  private static func time(_ milliseconds: Int64) -> String {
    milliseconds % 1000 == 0 ? "\(milliseconds / 1000)s" : "\(milliseconds)ms"
  }
}
