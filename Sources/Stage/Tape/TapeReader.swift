import Model
import Store

/// Reads the language of tapes: one command a line, settings first.
package struct TapeReader {
  private var settings = Tape.Settings()
  private var cues: [Tape.Cue] = []
  private var line: TapeLine
  private var next = 0

  /// - Throws: The first thing that is wrong, with its line and column.
  package static func read(_ text: String) throws(TapeError) -> Tape {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var reader = TapeReader(line: try TapeLine("", number: 0))
    for (index, line) in lines.enumerated() {
      try reader.read(try TapeLine(line, number: index + 1))
    }
    return Tape(reader.settings, cues: reader.cues)
  }

  private init(line: TapeLine) { self.line = line }

  private mutating func read(_ line: TapeLine) throws(TapeError) {
    self.line = line
    next = 0
    guard let word = line.words.first else { return }
    next = 1
    guard !word.isQuoted, let command = TapeCommand.all.first(where: { $0.name == word.text }) else {
      throw unknown(word, "command", among: TapeCommand.all.map(\.name))
    }
    if command.isSetting {
      guard cues.isEmpty else {
        throw TapeError("“\(word.text)” sets the stage and belongs before the first step", at: word, line)
      }
      try set(word.text)
    } else if let step = try step(word.text) {
      cues.append(Tape.Cue(step, line: line.number))
    }
    if next < line.words.count {
      throw TapeError("“\(line.words[next].text)” is more than \(word.text) takes", at: line.words[next], line)
    }
  }

  private mutating func set(_ command: String) throws(TapeError) {
    switch command {
    case "title": settings.title = try text()
    case "seed":
      let word = try word("a number")
      guard let seed = UInt64(word.text) else { throw wrong(word, "a whole number") }
      settings.seed = seed
    case "clock":
      let word = try word("a time")
      guard let time = Timestamp(rfc3339: word.text) else { throw wrong(word, "a time such as 2026-03-02T09:30:00Z") }
      settings.clock = time
    case "pace": settings.pace = try duration()
    case "timings": settings.showsTimings = try choice("real", "none")
    default:
      let word = try word("demo or own")
      guard let connections = Tape.Connections(rawValue: word.text) else {
        throw unknown(word, "choice", among: Tape.Connections.allCases.map(\.rawValue))
      }
      settings.connections = connections
    }
  }

  /// The step a line stands for; nil for what only sets the stage because nothing has happened yet.
  private mutating func step(_ command: String) throws(TapeError) -> Tape.Step? {
    switch command {
    case "type": return try type()
    case "keys": return .keys(try keys())
    case "wait": return try wait()
    case "hold": return .hold
    case "pause": return .pause(try duration())
    case "caption": return .caption(next < line.words.count ? try text() : nil)
    case "screenshot": return .screenshot(try fileName())
    case "film": return .film(try choice("on", "off"))
    case "show", "hide":
      _ = try choice("keys")
      if cues.isEmpty {
        settings.showsKeys = command == "show"
        return nil
      }
      return .showKeys(command == "show")
    case "size":
      let size = try size()
      if !cues.isEmpty { return .size(size) }
      settings.size = size
    default:
      let name = try word("the name of a theme").text
      if !cues.isEmpty { return .theme(name) }
      settings.theme = name
    }
    return nil
  }

  // MARK: Parts of a line

  private mutating func type() throws(TapeError) -> Tape.Step {
    let word = try word("a text in quotes, or env NAME")
    if word.isQuoted { return .type(word.text) }
    guard word.text == "env" else { throw wrong(word, "a text in quotes, or env NAME") }
    return .typeVariable(try self.word("the name of a variable").text)
  }

  private mutating func keys() throws(TapeError) -> [Key] {
    var keys: [Key] = []
    repeat {
      let word = try word("a key")
      let halves = word.text.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
      let isRepeated = halves.count == 2 && !halves[0].isEmpty && !halves[1].isEmpty
      let name = isRepeated ? String(halves[0]) : word.text
      guard let key = Key(name: name) else { throw unknown(word, "key", among: Key.names, spelt: name) }
      guard let times = isRepeated ? Int(halves[1]) : 1, (1...1000).contains(times) else {
        throw wrong(word, "a key and how often, such as down*3; at most 1000 times")
      }
      keys += Array(repeating: key, count: times)
    } while next < line.words.count
    return keys
  }

  private mutating func wait() throws(TapeError) -> Tape.Step {
    var isGone = false
    if next < line.words.count, line.words[next].text == "gone", !line.words[next].isQuoted {
      isGone = true
      next += 1
    }
    let text = try text()
    guard !text.isEmpty else { throw TapeError("wait for a text that is not empty", at: line.words[next - 1], line) }
    return .wait(text, isGone: isGone, limit: next < line.words.count ? try duration() : Tape.standardLimit)
  }

  private mutating func text() throws(TapeError) -> String {
    let word = try word("a text in quotes")
    guard word.isQuoted else { throw wrong(word, "a text in quotes") }
    return word.text
  }

  private mutating func fileName() throws(TapeError) -> String {
    let word = try word("a name")
    let isPlain = word.text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-" || $0 == "_"
    }
    guard isPlain, !word.text.isEmpty, word.text.utf8.count <= 100 else {
      throw wrong(word, "a name of letters, digits, - and _")
    }
    return word.text
  }

  /// Milliseconds: `800ms`, `2s`, `1.5s`; at most an hour.
  private mutating func duration() throws(TapeError) -> Int64 {
    let word = try word("a time such as 800ms or 1.5s")
    let isShort = word.text.hasSuffix("ms")
    guard isShort || word.text.hasSuffix("s"), let number = Double(word.text.dropLast(isShort ? 2 : 1)), number >= 0,
      number * (isShort ? 1 : 1000) <= 3_600_000
    else { throw wrong(word, "a time such as 800ms or 1.5s, at most 3600s") }
    return Int64((number * (isShort ? 1 : 1000)).rounded())
  }

  private mutating func size() throws(TapeError) -> Size {
    let word = try word("a size such as 100x30")
    guard let size = Size(word.text) else { throw wrong(word, "a size such as 100x30, from 20x5 to 500x200") }
    return size
  }

  private mutating func choice(_ words: String...) throws(TapeError) -> Bool {
    let word = try word(words.joined(separator: " or "))
    guard let index = words.firstIndex(of: word.text) else { throw unknown(word, "choice", among: words) }
    return index == 0
  }

  private mutating func word(_ wanted: String) throws(TapeError) -> TapeLine.Word {
    guard next < line.words.count else {
      throw TapeError("\(line.words[0].text) needs \(wanted)", line: line.number, column: line.end)
    }
    next += 1
    return line.words[next - 1]
  }

  // MARK: Errors

  private func wrong(_ word: TapeLine.Word, _ wanted: String) -> TapeError {
    TapeError("“\(word.text)” must be \(wanted)", at: word, line)
  }

  private func unknown(
    _ word: TapeLine.Word, _ what: String, among known: [String], spelt name: String? = nil
  ) -> TapeError {
    let hint = Spelling.nearest(to: name ?? word.text, among: known).map { "; did you mean \($0)?" }
    let all = known.count <= 3 ? "; there is \(known.joined(separator: " and "))" : ""
    return TapeError("there is no \(what) “\(name ?? word.text)”\(hint ?? all)", at: word, line)
  }
}

extension TapeError {
  fileprivate init(_ message: String, at word: TapeLine.Word, _ line: TapeLine) {
    self.init(message, line: line.number, column: word.column)
  }
}

extension Size {
  /// Reads `100x30`; nil when it is none, or none that a terminal has.
  package init?(_ text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let columns = parts[0], let rows = parts[1], (20...500).contains(columns),
      (5...200).contains(rows)
    else { return nil }
    self.init(columns: columns, rows: rows)
  }
}

extension Key {
  /// Names of keys that are no character.
  fileprivate static let names: [String] =
    [
      Key.up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .shiftUp, .shiftDown, .altLeft, .altRight, .enter,
      .escape, .tab, .shiftTab, .backspace, .delete, .insert, .character(" "), .control("p"),
    ].map(\.name) + (1...12).map { "f\($0)" }
}
