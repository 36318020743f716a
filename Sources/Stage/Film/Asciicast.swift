import JSON
import Model

/// A film as asciicast v2, which asciinema and its players show.
///
/// - SeeAlso: docs.asciinema.org/manual/asciicast/v2
package enum Asciicast {
  package static func bytes(of film: Film) -> [UInt8] {
    var bytes = header(of: film)
    var before: Film.Picture?
    for picture in film.pictures {
      bytes += event(picture.time, changes(from: before, to: picture))
      before = picture
    }
    // An event at the end, so that the last picture stays as long as it did.
    return bytes + event(film.length, "\u{1B}[0m")
  }

  private static func header(of film: Film) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("version")
    writer.integer(2)
    writer.key("width")
    writer.integer(film.size.columns)
    writer.key("height")
    writer.integer(film.size.rows)
    writer.key("timestamp")
    writer.integer(film.start.milliseconds / 1000)
    if let title = film.title {
      writer.key("title")
      writer.string(title)
    }
    writer.key("env")
    writer.beginObject()
    writer.key("TERM")
    writer.string("xterm-256color")
    writer.endObject()
    writer.endObject()
    return writer.take() + [10]
  }

  private static func event(_ milliseconds: Int64, _ output: String) -> [UInt8] {
    var writer = JSONWriter()
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    writer.beginArray()
    writer.number("\(milliseconds / 1000).\(fraction)")
    writer.string("o")
    writer.string(output)
    writer.endArray()
    return writer.take() + [10]
  }

  /// What a terminal must be sent to get from one picture to the next.
  private static func changes(from before: Film.Picture?, to picture: Film.Picture) -> String {
    let buffer = picture.buffer
    let isWhole = before.map { $0.buffer.size != buffer.size || $0.theme != picture.theme } ?? true
    var text = isWhole ? "\u{1B}[0m\u{1B}[2J" : ""
    for row in 0..<buffer.size.rows {
      let columns = (0..<buffer.size.columns).filter { column in
        isWhole || before?.buffer[column, row] != buffer[column, row]
      }
      guard var first = columns.first, let last = columns.last else { continue }
      // A wide character is drawn from its first half.
      while first > 0, buffer[first, row].text.isEmpty { first -= 1 }
      text += "\u{1B}[\(row + 1);\(first + 1)H" + cells(buffer, row, first...last, picture.theme)
    }
    text += "\u{1B}[0m"
    if buffer.isCursorVisible, let cursor = buffer.cursor {
      return text + "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
    }
    return text + "\u{1B}[?25l"
  }

  private static func cells(_ buffer: CellBuffer, _ row: Int, _ columns: ClosedRange<Int>, _ theme: Theme) -> String {
    var text = ""
    var style: Style?
    for column in columns {
      let cell = buffer[column, row]
      guard !cell.text.isEmpty else { continue }
      if cell.style != style {
        text += "\u{1B}[\(theme.look(of: cell.style).codes)m"
        style = cell.style
      }
      text += cell.text
    }
    return text
  }
}
