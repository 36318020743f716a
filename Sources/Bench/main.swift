import Glibc

/// Measures from inside what cannot be seen from outside; Tools/bench measures the rest and makes the table.
///
///     atrium-bench [decode] [lists] [store] [--quick]
///
/// Prints a line for each figure: its name with the unit, then every run, separated by tabs. It fails only where
/// something does not work, never for being slow.
let words = CommandLine.arguments.dropFirst()
let scale = Scale(isQuick: words.contains("--quick"))
let wanted = words.filter { !$0.hasPrefix("--") }
let all: [(name: String, run: (Scale) async throws -> Void)] = [
  ("decode", DecodeBench.run), ("lists", ListBench.run), ("store", StoreBench.run),
]
for part in all where wanted.isEmpty || wanted.contains(part.name) {
  do {
    try await part.run(scale)
  } catch {
    let line = "atrium-bench: \(part.name): \(error)\n"
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    exit(1)
  }
}
