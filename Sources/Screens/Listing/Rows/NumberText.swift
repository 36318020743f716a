import Model

/// Searches what amounts, whole numbers and moments look like without making texts of them.
///
/// A filter's `12` may stand in a million amounts and dates; a text for each would take seconds.
struct NumberText {
  private let needle: [UInt8]
  private let word: String
  private let world: World
  private let form = LocalForm.current
  /// Whether the grouped form can have what the exact one has not.
  private let needsGrouped: Bool
  private let isASCII: Bool
  private var buffer: [UInt8] = []
  /// Minutes to add to UTC, by quarter of an hour: no zone changes its clocks within one.
  private var offsets: [Int64: Int64] = [:]
  private var lastOffset: (quarter: Int64, milliseconds: Int64)?
  /// A local day as the list shows it, up to the clock.
  private var days: [Int64: (text: [UInt8], hasClock: Bool)] = [:]

  /// - Parameter word: Lower case already.
  init(_ word: String, _ world: World) {
    self.word = word
    self.world = world
    needle = Array(word.utf8)
    let exact = Set("0123456789-." as String)
    needsGrouped =
      !word.allSatisfy { exact.contains($0) } || (word.contains(".") && form.decimal != ".") || form.group == "."
    isASCII = form.decimal.isASCII && form.group.isASCII && form.months.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }
  }

  // MARK: What can stand where

  /// Whether any value of a kind can look like this at all.
  func mayStand(in tag: UInt8) -> Bool {
    switch tag {
    case CellTag.integer, CellTag.money...: return isMade(of: ["-", form.decimal, form.group, "."], words: [])
    case CellTag.size: return isMade(of: ["-", form.decimal, " "], words: ["b", "kb", "mb", "gb", "tb", "pb"])
    case CellTag.time:
      return isMade(of: ["-", ".", ":", " "], words: form.months.map { $0.lowercased() } + ["today", "t", "z"])
    case CellTag.flag: return ["yes", "no", "true", "false"].contains { $0.contains(word) }
    case CellTag.other: return true
    default: return false
    }
  }

  /// Whether it is made of digits, these signs and parts of these words.
  private func isMade(of signs: Set<Character>, words: [String]) -> Bool {
    var letters = ""
    for character in word + "0" {
      if character.isASCII && character.isNumber || signs.contains(character) {
        if !letters.isEmpty, !words.contains(where: { $0.contains(letters) }) { return false }
        letters = ""
      } else {
        letters.append(character)
      }
    }
    return true
  }

  // MARK: Looking

  /// Whether the word stands in a number of so many decimals, exact or as the list shows it.
  mutating func stands(inNumber number: Int64, decimals: Int = 0, isGrouped: Bool = true) -> Bool {
    write(number, decimals: decimals, isGrouped: false)
    if bufferHasNeedle { return true }
    guard needsGrouped, isGrouped else { return false }
    write(number, decimals: decimals, isGrouped: true)
    return bufferHasNeedle
  }

  /// Whether it stands in a moment, as it is said exactly or as the list shows it.
  mutating func stands(inTime milliseconds: Int64) -> Bool {
    let time = Timestamp(milliseconds: milliseconds)
    // Years of four digits are all that a list of now should have; others are looked at the slow way.
    guard isASCII, (-62_135_596_800_000..<253_402_300_800_000).contains(milliseconds) else {
      return TextSearch.contains(time.rfc3339, word)
        || TextSearch.contains(world.zone.short(time, now: world.now), word)
    }
    write(time)
    if bufferHasNeedle { return true }
    let local = milliseconds + offset(milliseconds)
    let day = local.floored(by: 86_400_000)
    let shown = shown(day, time)
    buffer.removeAll(keepingCapacity: true)
    buffer += shown.text
    if shown.hasClock {
      let minute = Int((local - day * 86_400_000) / 60_000)
      two(minute / 60)
      buffer.append(UInt8(ascii: ":"))
      two(minute % 60)
    }
    return bufferHasNeedle
  }

  private var bufferHasNeedle: Bool {
    guard needle.count <= buffer.count else { return false }
    return buffer.withUnsafeBufferPointer { text in
      needle.withUnsafeBufferPointer { TextSearch.asciiContains(text, $0) }
    }
  }

  private mutating func shown(_ day: Int64, _ time: Timestamp) -> (text: [UInt8], hasClock: Bool) {
    if let known = days[day] { return known }
    let text = Array(world.zone.short(time, now: world.now).utf8)
    let hasClock = text.count > 5 && text[text.count - 3] == UInt8(ascii: ":")
    let made = (hasClock ? Array(text.dropLast(5)) : text, hasClock)
    days[day] = made
    return made
  }

  /// Milliseconds to add to a moment.
  mutating func offset(_ milliseconds: Int64) -> Int64 {
    let quarter = milliseconds.floored(by: 900_000)
    if let lastOffset, lastOffset.quarter == quarter { return lastOffset.milliseconds }
    let offset = offsets[quarter] ?? Int64(world.zone.offset(Timestamp(milliseconds: milliseconds))) * 60_000
    offsets[quarter] = offset
    lastOffset = (quarter, offset)
    return offset
  }

  // MARK: Writing

  private mutating func write(_ number: Int64, decimals: Int, isGrouped: Bool) {
    buffer.removeAll(keepingCapacity: true)
    var rest = number.magnitude
    var digits = 0
    // Backwards, then turned around.
    while rest > 0 || digits <= decimals {
      if digits == decimals, decimals > 0 { append(isGrouped ? form.decimal : ".") }
      if isGrouped, digits > decimals, (digits - decimals) % 3 == 0 { append(form.group) }
      buffer.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
      digits += 1
    }
    if number < 0 { buffer.append(UInt8(ascii: "-")) }
    buffer.reverse()
  }

  private mutating func append(_ sign: Character) {
    if let byte = sign.asciiValue { buffer.append(byte) } else { buffer += sign.utf8.reversed() }
  }

  /// `2026-11-30t17:55:51z`, in lower case as all is that is looked through.
  private mutating func write(_ time: Timestamp) {
    let parts = time.civil
    buffer.removeAll(keepingCapacity: true)
    two(parts.year / 100)
    two(parts.year % 100)
    for (sign, number) in [
      ("-", parts.month), ("-", parts.day), ("t", parts.hour), (":", parts.minute), (":", parts.second),
    ]
      as [(Unicode.Scalar, Int)]
    {
      buffer.append(UInt8(ascii: sign))
      two(number)
    }
    if parts.millisecond != 0 {
      buffer += [UInt8(ascii: "."), UInt8(ascii: "0") + UInt8(parts.millisecond / 100)]
      two(parts.millisecond % 100)
    }
    buffer.append(UInt8(ascii: "z"))
  }

  private mutating func two(_ number: Int) {
    buffer.append(UInt8(ascii: "0") + UInt8(number / 10))
    buffer.append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

extension Int64 {
  fileprivate func floored(by divisor: Int64) -> Int64 {
    self >= 0 ? self / divisor : -((divisor - 1 - self) / divisor)
  }
}
