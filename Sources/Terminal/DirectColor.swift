import Glibc

/// 24-bit colour for terminals that can show it but whose terminfo entry does not say so.
///
/// ncurses paints what terminfo describes, and the common entries describe 256 colours. `$COLORTERM` tells of more, but
/// ncurses does not read it, and the entries that do tell (`xterm-direct`) are seldom installed. So the entry in use is
/// described anew before ncurses starts: same capabilities, 2^24 colours, the flag `RGB` by which ncurses knows that a
/// colour's number holds its red, green and blue (user_caps(5)), and strings that set them. ncurses takes such a
/// description from `$TERMINFO` as `hex:…` (terminfo(5), "Fetching Compiled Descriptions"). Where anything about the
/// entry is unusual nil comes back and 256 colours are what is used.
package enum DirectColor {
  package static let count = 1 << 24

  /// The first sixteen numbers are the terminal's own colours; the nearly black ones they stand for become another
  /// nearly black.
  package static func number(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Int32 {
    let number = Int32(red) << 16 | Int32(green) << 8 | Int32(blue)
    return number < 16 ? 1 << 16 : number
  }

  /// Whether the environment says that the terminal shows 24-bit colour.
  package static func isOffered(_ environment: [String: String]) -> Bool {
    ["truecolor", "24bit"].contains(environment["COLORTERM"] ?? "")
  }

  /// The description to put into `$TERMINFO`, made from the compiled entry (term(5)).
  package static func description(from entry: [UInt8]) -> String? {
    guard let changed = Entry(entry)?.withDirectColor() else { return nil }
    let digits = Array("0123456789ABCDEF")
    return "hex:" + String(changed.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }

  /// The compiled entry of a terminal from the directories ncurses looks into (terminfo(5)).
  package static func compiledEntry(of term: String, environment: [String: String]) -> [UInt8]? {
    guard let first = term.utf8.first, !term.contains("/") else { return nil }
    var directories = [environment["TERMINFO"], environment["HOME"].map { $0 + "/.terminfo" }].compactMap { $0 }
    directories += (environment["TERMINFO_DIRS"] ?? "").split(separator: ":").map(String.init)
    directories += ["/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/lib/terminfo"]
    for directory in directories {
      if let bytes = contents("\(directory)/\(Character(Unicode.Scalar(first)))/\(term)") { return bytes }
    }
    return nil
  }

  private static func contents(_ path: String) -> [UInt8]? {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = read(fd, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }
}

/// A compiled terminfo entry, taken apart as far as needed: term(5), "Storage Format".
private struct Entry {
  private static let maxColors = 13
  private static let setForeground = 359
  private static let setBackground = 360

  private var names: ArraySlice<UInt8>
  private var flags: ArraySlice<UInt8>
  private var numbers: [Int32]
  private var offsets: [Int16]
  private var strings: [UInt8]

  init?(_ bytes: [UInt8]) {
    func short(_ index: Int) -> Int { Int(Int16(truncatingIfNeeded: Int(bytes[index]) | Int(bytes[index + 1]) << 8)) }
    guard bytes.count > 12 else { return nil }
    let width = [0o432: 2, 0o1036: 4][short(0)] ?? 0
    let counts = (1...5).map { short(2 * $0) }
    guard width > 0, counts.allSatisfy({ $0 >= 0 }) else { return nil }
    var at = 12
    let evenFlags = counts[1] + (counts[0] + counts[1]) % 2
    let size = 12 + counts[0] + evenFlags + counts[2] * width + counts[3] * 2 + counts[4]
    guard size <= bytes.count, counts[2] > Entry.maxColors, counts[3] > Entry.setBackground else { return nil }
    names = bytes[at..<at + counts[0]]
    at += counts[0]
    flags = bytes[at..<at + counts[1]]
    at += evenFlags
    numbers = (0..<counts[2]).map { index in
      let low = short(at + index * width)
      return width == 2 ? Int32(low) : Int32(truncatingIfNeeded: low & 0xFFFF | short(at + index * 4 + 2) << 16)
    }
    at += counts[2] * width
    offsets = (0..<counts[3]).map { Int16(truncatingIfNeeded: short(at + 2 * $0)) }
    at += counts[3] * 2
    strings = Array(bytes[at..<at + counts[4]])
  }

  /// The entry in the form with 32-bit numbers, without its extended part, with 24-bit colours.
  func withDirectColor() -> [UInt8]? {
    guard numbers[Entry.maxColors] >= 256, offsets[Entry.setForeground] >= 0 else { return nil }
    var entry = self
    entry.numbers[Entry.maxColors] = Int32(DirectColor.count)
    entry.set(Entry.setForeground, Entry.colorString(plain: "3", bright: "9", direct: "38"))
    entry.set(Entry.setBackground, Entry.colorString(plain: "4", bright: "10", direct: "48"))
    return entry.compiled
  }

  private mutating func set(_ capability: Int, _ text: String) {
    offsets[capability] = Int16(truncatingIfNeeded: strings.count)
    strings += Array(text.utf8) + [0]
  }

  /// Below 8 a plain colour, below 16 a bright one, from there on red, green and blue of eight bits each.
  private static func colorString(plain: String, bright: String, direct: String) -> String {
    let channels = ["%p1%{65536}%/%d", "%p1%{256}%/%{255}%&%d", "%p1%{255}%&%d"].joined(separator: ";")
    return "\u{1B}[%?%p1%{8}%<%t\(plain)%p1%d%e%p1%{16}%<%t\(bright)%p1%{8}%-%d%e\(direct);2;\(channels)%;m"
  }

  private var compiled: [UInt8] {
    var bytes: [UInt8] = []
    func short(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)] }
    for value in [0o1036, names.count, flags.count, numbers.count, offsets.count, strings.count] {
      bytes += short(value)
    }
    bytes += names
    bytes += flags
    if (names.count + flags.count) % 2 == 1 { bytes.append(0) }
    for number in numbers { bytes += short(Int(number)) + short(Int(number) >> 16) }
    for offset in offsets { bytes += short(Int(offset)) }
    bytes += strings
    if strings.count % 2 == 1 { bytes.append(0) }
    // The extended part: one flag, no numbers, no strings; one name, in a table of four bytes; the flag is set.
    for value in [1, 0, 0, 1, 4] { bytes += short(value) }
    return bytes + [1, 0] + short(0) + Array("RGB".utf8) + [0]
  }
}
