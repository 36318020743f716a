import Model

/// Reads keys, pastes and mouse reports out of the bytes a terminal sends.
///
/// Bytes are handed in as they come and may be cut anywhere. A lone Esc cannot be told from the start of a sequence: it
/// stays pending until `flush`, which the caller calls when nothing followed for a moment. Replies to questions of other
/// programs (OSC, DCS, device reports) are swallowed, also when late.
package struct InputParser {
  private enum State {
    case ground, escape, csi, ss3, string, stringEscape, paste
  }

  private var state = State.ground
  private var parameters: [UInt8] = []
  private var pasted: [UInt8] = []
  private var partial: [UInt8] = []

  /// A paste beyond this many bytes is cut.
  private static let pasteLimit = 1 << 20

  package init() {}

  /// Whether an Esc waits for what may follow.
  package var isPending: Bool { state == .escape || (state == .csi && parameters.isEmpty) || state == .ss3 }

  package mutating func read(_ bytes: some Sequence<UInt8>) -> [TerminalEvent] {
    var events: [TerminalEvent] = []
    for byte in bytes { read(byte, into: &events) }
    return events
  }

  /// Nothing followed: what is pending is the Esc key (or Alt with `[` or `O`).
  package mutating func flush() -> [TerminalEvent] {
    defer { state = .ground }
    switch state {
    case .escape: return [.key(.escape)]
    case .csi where parameters.isEmpty: return [.key(.alt("["))]
    case .ss3: return [.key(.alt("O"))]
    default: return []
    }
  }

  private mutating func read(_ byte: UInt8, into events: inout [TerminalEvent]) {
    switch state {
    case .ground: readGround(byte, into: &events)
    case .escape: readEscape(byte, into: &events)
    case .csi: readSequence(byte, into: &events)
    case .ss3:
      state = .ground
      if let key = SequenceKeys.ss3[byte] { events.append(.key(key)) }
    case .string:
      if byte == 0x07 { state = .ground } else if byte == 0x1B { state = .stringEscape }
    case .stringEscape:
      state = .ground
      if byte != UInt8(ascii: "\\") { readEscape(byte, into: &events) }
    case .paste: readPaste(byte, into: &events)
    }
  }

  private mutating func readGround(_ byte: UInt8, into events: inout [TerminalEvent]) {
    if !partial.isEmpty || byte >= 0x80 { return readUTF8(byte, into: &events) }
    switch byte {
    case 0x1B: state = .escape
    case 0x0D, 0x0A: events.append(.key(.enter))
    case 0x09: events.append(.key(.tab))
    case 0x7F, 0x08: events.append(.key(.backspace))
    case 0: events.append(.key(.control(" ")))
    case 0x01...0x1A: events.append(.key(.control(Character(Unicode.Scalar(byte + 0x60)))))
    case 0x1C...0x1F: events.append(.key(.control(Character(Unicode.Scalar(byte + 0x40)))))
    default: events.append(.key(.character(Character(Unicode.Scalar(byte)))))
    }
  }

  private mutating func readUTF8(_ byte: UInt8, into events: inout [TerminalEvent]) {
    if partial.isEmpty, !(0xC2...0xF4).contains(byte) { return }  // Not the start of a character: line noise.
    if !partial.isEmpty, !(0x80...0xBF).contains(byte) {
      partial = []
      return readGround(byte, into: &events)
    }
    partial.append(byte)
    let length = partial[0] >= 0xF0 ? 4 : partial[0] >= 0xE0 ? 3 : 2
    guard partial.count == length else { return }
    defer { partial = [] }
    guard let text = String(validating: partial, as: UTF8.self), let character = text.first else { return }
    events.append(.key(.character(character)))
  }

  private mutating func readEscape(_ byte: UInt8, into events: inout [TerminalEvent]) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["):
      state = .csi
      parameters = []
    case UInt8(ascii: "O"): state = .ss3
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"): state = .string
    case 0x1B:
      events.append(.key(.escape))
      state = .escape
    case 0x0D: events.append(.key(.alt("\r")))
    case 0x7F: events.append(.key(.alt("\u{7F}")))
    case 0x20...0x7E: events.append(.key(.alt(Character(Unicode.Scalar(byte)))))
    default: break
    }
  }

  private mutating func readSequence(_ byte: UInt8, into events: inout [TerminalEvent]) {
    // The console of Linux sends F1…F5 as ESC [ [ A…E.
    if byte == UInt8(ascii: "["), parameters.isEmpty {
      parameters.append(byte)
      return
    }
    if parameters == [UInt8(ascii: "[")] {
      state = .ground
      if (65...69).contains(byte) { events.append(.key(.function(Int(byte) - 64))) }
      return
    }
    guard (0x40...0x7E).contains(byte) else {
      if byte < 0x20 { state = .ground } else if parameters.count < 64 { parameters.append(byte) }
      return
    }
    state = .ground
    if byte == UInt8(ascii: "~"), parameters == Array("200".utf8) {
      state = .paste
      pasted = []
    } else if let first = parameters.first, first == UInt8(ascii: "<") {
      if let mouse = SequenceKeys.mouse(parameters.dropFirst(), isRelease: byte == UInt8(ascii: "m")) {
        events.append(.mouse(mouse))
      }
    } else if let event = SequenceKeys.event(final: byte, parameters: parameters) {
      events.append(event)
    }
  }

  private mutating func readPaste(_ byte: UInt8, into events: inout [TerminalEvent]) {
    pasted.append(byte)
    let end = Array("\u{1B}[201~".utf8)
    guard byte == UInt8(ascii: "~"), pasted.suffix(end.count).elementsEqual(end) else {
      // Beyond the limit only what may be the end mark is kept.
      if pasted.count > InputParser.pasteLimit + 64 { pasted.removeSubrange(InputParser.pasteLimit..<pasted.count - 8) }
      return
    }
    pasted.removeLast(end.count)
    state = .ground
    events.append(.paste(String(decoding: pasted, as: UTF8.self)))
    pasted = []
  }
}
