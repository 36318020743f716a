/// A line of a tape, cut into words that know where they stand.
struct TapeLine {
  struct Word {
    let text: String
    let isQuoted: Bool
    /// Counted in characters from 1.
    let column: Int
  }

  let number: Int
  private(set) var words: [Word] = []
  /// The column behind the last character.
  private(set) var end = 1

  /// Words stand apart by spaces; a text in double quotes is one, `\"` and `\\` in it stand for themselves, and `#`
  /// begins a comment anywhere else.
  init(_ text: Substring, number: Int) throws(TapeError) {
    self.number = number
    var rest = text
    var column = 1
    while let first = rest.first, first != "#" {
      guard first != " ", first != "\t" else {
        rest.removeFirst()
        column += 1
        continue
      }
      let before = rest.count
      let start = column
      let word =
        first == "\""
        ? try TapeLine.quoted(&rest, line: number, column: column)
        : String(rest.prefix { $0 != " " && $0 != "\t" && $0 != "\"" })
      if first != "\"" { rest.removeFirst(word.count) }
      column += before - rest.count
      words.append(Word(text: word, isQuoted: first == "\"", column: start))
    }
    end = column
  }

  private static func quoted(_ rest: inout Substring, line: Int, column: Int) throws(TapeError) -> String {
    rest.removeFirst()
    var text = ""
    while let character = rest.popFirst() {
      if character == "\"" { return text }
      guard character == "\\" else {
        text.append(character)
        continue
      }
      guard let escaped = rest.popFirst(), escaped == "\"" || escaped == "\\" else {
        throw TapeError("only \\\" and \\\\ may follow a backslash", line: line, column: column)
      }
      text.append(escaped)
    }
    throw TapeError("the text does not end: its closing \" is missing", line: line, column: column)
  }
}
