import Glibc
package import Model
package import Testing

/// Compares a screen with its golden file: the text rows, a rule, then one style letter a cell.
///
/// With `RECORD_GOLDEN=1` in the environment the file is written anew and the test still fails: a recording is read by a
/// person before it counts.
package func expectScreen(
  _ buffer: CellBuffer, golden name: String, testFile: String = #filePath,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let directory = testFile.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  let path = "\(directory)/Golden/\(name).txt"
  let drawn = goldenText(buffer)
  if let recording = getenv("RECORD_GOLDEN"), String(cString: recording) == "1" {
    mkdir("\(directory)/Golden", 0o755)
    let isWritten = write(drawn, to: path)
    Issue.record(
      isWritten ? "recorded \(name): read it, then run again without RECORD_GOLDEN" : "cannot write \(path)",
      sourceLocation: sourceLocation)
    return
  }
  guard let golden = read(path) else {
    Issue.record("there is no golden file \(name); record it with RECORD_GOLDEN=1", sourceLocation: sourceLocation)
    return
  }
  guard golden != drawn else { return }
  Issue.record("\(name) is drawn differently:\n\(firstDifferences(golden, drawn))", sourceLocation: sourceLocation)
}

/// The text of a golden file.
package func goldenText(_ buffer: CellBuffer) -> String {
  var text = ""
  // A bar closes each row, so that spaces at its end are seen and kept.
  for row in 0..<buffer.size.rows {
    text += (0..<buffer.size.columns).map { buffer[$0, row].text }.joined() + "│\n"
  }
  text += String(repeating: "=", count: buffer.size.columns) + "\n"
  for row in 0..<buffer.size.rows {
    text += String((0..<buffer.size.columns).map { buffer[$0, row].style.letter }) + "│\n"
  }
  let cursor = buffer.cursor.map { "\($0.column),\($0.row)\(buffer.isCursorVisible ? " visible" : "")" } ?? "none"
  return text + "cursor \(cursor)\n"
}

private func firstDifferences(_ golden: String, _ drawn: String) -> String {
  let old = golden.split(separator: "\n", omittingEmptySubsequences: false)
  let new = drawn.split(separator: "\n", omittingEmptySubsequences: false)
  var differences: [String] = []
  for index in 0..<max(old.count, new.count) {
    let left = index < old.count ? String(old[index]) : "(nothing)"
    let right = index < new.count ? String(new[index]) : "(nothing)"
    if left != right { differences.append("line \(index + 1)\n  golden \(left)\n  drawn  \(right)") }
  }
  return differences.prefix(6).joined(separator: "\n")
}

private func read(_ path: String) -> String? {
  guard let file = fopen(path, "r") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 64 << 10)
  while true {
    let count = fread(&piece, 1, piece.count, file)
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += piece[..<count]
  }
}

private func write(_ text: String, to path: String) -> Bool {
  guard let file = fopen(path, "w") else { return false }
  defer { fclose(file) }
  let bytes = Array(text.utf8)
  return fwrite(bytes, 1, bytes.count, file) == bytes.count
}
