import Glibc
import Model

/// Finds out whether the terminal's ground is light or dark: by what it says of itself, else by asking it.
package enum BackgroundQuery {
  package struct Answer: Sendable, Equatable {
    /// Nil when the terminal does not say.
    package var brightness: Theme.Brightness?
    /// Whether the terminal counts sixel graphics among what it can do.
    package var showsSixel = false
    /// What a person typed meanwhile; it belongs to the browser.
    package var typed: [UInt8] = []
  }

  /// Asks for the ground's colour (OSC 11) and then for the terminal's kind (DA1), which all answer: what has not come
  /// before that answer does not come any more.
  private static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

  /// Asks before anything is drawn, and waits for at most a tenth of a second.
  ///
  /// - Parameters:
  ///   - variables: The process environment; `COLORFGBG` makes the question for the ground unnecessary.
  ///   - graphics: Whether it matters what the terminal can do.
  package static func ask(_ variables: [String: String], graphics: Bool = false) -> Answer {
    let told = variables["COLORFGBG"].flatMap(brightness(ofVariable:))
    if let told, !graphics { return Answer(brightness: told) }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return Answer(brightness: told) }
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else { return Answer(brightness: told) }
    var raw = before
    cfmakeraw(&raw)
    tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &before) }
    let bytes = Array(question.utf8)
    guard write(STDOUT_FILENO, bytes, bytes.count) == bytes.count else { return Answer(brightness: told) }
    var answer = read(until: .now + .milliseconds(100))
    answer.brightness = told ?? answer.brightness
    return answer
  }

  private static func read(until limit: ContinuousClock.Instant) -> Answer {
    var reply = Reply()
    var buffer = [UInt8](repeating: 0, count: 1024)
    while !reply.isComplete {
      let left = limit - ContinuousClock.now
      guard left > .zero else { break }
      var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let milliseconds = Int32(left.components.attoseconds / 1_000_000_000_000_000) + 1
      guard poll(&wait, 1, milliseconds) == 1 else { break }
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { break }
      reply.read(buffer[..<count])
    }
    return Answer(brightness: reply.brightness, showsSixel: reply.showsSixel, typed: reply.typed)
  }

  /// `15;0`, as rxvt and others set it: the last number is the ground's, of the sixteen colours.
  static func brightness(ofVariable text: String) -> Theme.Brightness? {
    guard let ground = text.split(separator: ";").last.flatMap({ Int($0) }), (0...15).contains(ground) else {
      return nil
    }
    return ground == 7 || ground > 8 ? .light : .dark
  }

  /// What came back, taken apart.
  struct Reply {
    private(set) var brightness: Theme.Brightness?
    /// Whether the second question is answered.
    private(set) var isComplete = false
    /// Whether it names sixel graphics: attribute 4 of the answer to DA1.
    private(set) var showsSixel = false
    private(set) var typed: [UInt8] = []
    private var pending: [UInt8] = []

    mutating func read(_ bytes: some Sequence<UInt8>) {
      pending += bytes
      while let first = pending.first {
        guard first == 0x1B, pending.count > 1 else {
          if first == 0x1B { return }
          typed.append(pending.removeFirst())
          continue
        }
        guard let sequence = sequence() else { return }
        take(sequence)
        pending.removeFirst(sequence.count)
      }
    }

    /// The sequence that `pending` begins with; nil while its end has not come.
    private func sequence() -> ArraySlice<UInt8>? {
      switch pending[1] {
      case UInt8(ascii: "]"):
        if let bell = pending.firstIndex(of: 7) { return pending[...bell] }
        guard
          let end = pending.indices.dropFirst(2).first(where: {
            pending[$0] == UInt8(ascii: "\\") && pending[$0 - 1] == 0x1B
          })
        else { return nil }
        return pending[...end]
      case UInt8(ascii: "["):
        guard let end = pending.indices.dropFirst(2).first(where: { (0x40...0x7E).contains(pending[$0]) }) else {
          return nil
        }
        return pending[...end]
      default: return pending[..<2]
      }
    }

    private mutating func take(_ sequence: ArraySlice<UInt8>) {
      let text = String(decoding: sequence, as: UTF8.self)
      if text.hasPrefix("\u{1B}]11;") {
        brightness = Reply.brightness(of: text)
      } else if text.hasPrefix("\u{1B}[?"), text.hasSuffix("c") {
        isComplete = true
        showsSixel = text.dropFirst(3).dropLast().split(separator: ";").dropFirst().contains("4")
      } else {
        typed += sequence
      }
    }

    /// `rgb:ffff/ffff/ffff`, with one to four digits each: light when more than half of the light is there.
    private static func brightness(of reply: String) -> Theme.Brightness? {
      guard let start = reply.firstRange(of: "rgb:")?.upperBound else { return nil }
      let parts = reply[start...].prefix { $0.isHexDigit || $0 == "/" }.split(separator: "/")
      let shares = parts.compactMap { part in
        Int(part, radix: 16).map { Double($0) / Double((1 << (4 * min(4, part.count))) - 1) }
      }
      guard shares.count == 3 else { return nil }
      return 0.299 * shares[0] + 0.587 * shares[1] + 0.114 * shares[2] > 0.5 ? .light : .dark
    }
  }
}
