import Glibc

/// What was measured under one name, a line of output: the name, then each run.
struct Samples {
  let name: String
  private(set) var values: [Double] = []

  /// - Parameter name: Ends with the unit: `decode.rows us`.
  init(_ name: String) { self.name = name }

  mutating func add(_ value: Double) { values.append(value) }

  /// Tab-separated, three decimals; what Tools/bench reads.
  func report() {
    let line = ([name] + values.map(Samples.text)).joined(separator: "\t") + "\n"
    _ = line.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }

  private static func text(_ value: Double) -> String {
    let thousandths = Int64((value * 1000).rounded())
    let rest = String(abs(thousandths % 1000))
    return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)"
  }
}

/// How much is measured.
struct Scale {
  let isQuick: Bool
  var runs: Int { isQuick ? 2 : 7 }

  /// The full size, or a small one where it is only to be seen that everything works.
  func callAsFunction(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }
}

/// Microseconds that something takes.
func microseconds(_ work: () throws -> Void) rethrows -> Double {
  let start = ContinuousClock.now
  try work()
  return microseconds(since: start)
}

func microseconds(since start: ContinuousClock.Instant) -> Double {
  let parts = (ContinuousClock.now - start).components
  return Double(parts.seconds) * 1e6 + Double(parts.attoseconds) / 1e12
}

/// Resident memory of this process in bytes.
func residentBytes() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
  let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self).split(
    separator: " ")
  return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

/// A measurement that cannot be made, because what it measures does not work.
struct Broken: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
