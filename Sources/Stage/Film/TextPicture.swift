import Model

/// A screen as lines of text, for what can be compared and read aloud.
package enum TextPicture {
  package static func text(of buffer: CellBuffer) -> String { buffer.lines.map { $0 + "\n" }.joined() }
}
