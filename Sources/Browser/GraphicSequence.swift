import Model
import Screens

/// A picture for the terminal's own graphics: how `chafa` is asked for it, and what of its answer is taken.
///
/// chafa believes that a cell has 8 by 8 pixels when it does not write to a terminal, so the room is told in such cells.
/// What it writes goes to the terminal as it is: anything but a single well-formed picture is refused.
struct GraphicSequence {
  let room: Size
  let canvas: Graphic.Canvas
  private static let step = 8
  /// Pixels at most, so that four bytes for each stay below what is read of a program's output.
  private static let mostPixels = 640_000

  private var roomInPixels: Size {
    Size(columns: room.columns * canvas.cell.columns, rows: room.rows * canvas.cell.rows)
  }

  /// What is asked for: the room in pixels, or less where it has too many.
  private var pixels: Size {
    var asked = roomInPixels
    while asked.columns * asked.rows > Self.mostPixels {
      asked = Size(columns: asked.columns * 9 / 10, rows: asked.rows * 9 / 10)
    }
    return asked
  }

  func command(_ file: String) -> [String] {
    let size = "\(max(1, pixels.columns / Self.step))x\(max(1, pixels.rows / Self.step))"
    return [
      "chafa", "--format", canvas.form == .kitty ? "kitty" : "sixels", "--font-ratio", "1", "--animate", "off",
      "--size",
      size, file,
    ]
  }

  /// The sequence to send; nil when the text is something else.
  func checked(_ text: String) -> String? {
    switch canvas.form {
    case .sixel: sixel(text)
    case .kitty: kitty(text)
    }
  }

  /// `DCS … q … ST` (DEC STD 070), no larger than the room.
  private func sixel(_ text: String) -> String? {
    guard let body = Self.strings(in: text, "P").first, let start = body.firstRange(of: "q\""),
      body[..<start.lowerBound].allSatisfy({ $0.isNumber || $0 == ";" })
    else { return nil }
    // The raster attributes: the aspect of a pixel, then width and height.
    let numbers = body[start.upperBound...].prefix { $0.isNumber || $0 == ";" }.split(separator: ";").map { Int($0) }
    guard numbers.count >= 4, let width = numbers[2], let height = numbers[3], width <= roomInPixels.columns,
      height <= roomInPixels.rows
    else { return nil }
    return "\u{1B}P\(body)\u{1B}\\"
  }

  /// `APC G … ST` several times: told how many cells to fill, to leave the cursor and to answer nothing.
  private func kitty(_ text: String) -> String? {
    let pieces = Self.strings(in: text, "_G")
    guard let first = pieces.first, pieces.dropFirst().allSatisfy({ $0.hasPrefix("m=1;") || $0.hasPrefix("m=0") })
    else {
      return nil
    }
    let parts = first.split(separator: ";", maxSplits: 1)
    let keys = (parts.first ?? "").split(separator: ",")
    func number(_ key: String) -> Int? { keys.first { $0.hasPrefix(key) }.flatMap { Int($0.dropFirst(key.count)) } }
    guard keys.contains("a=T"), keys.contains("f=32"), let width = number("s="), let height = number("v="), width > 0,
      height > 0, width <= pixels.columns, height <= pixels.rows
    else { return nil }
    // A picture of fewer pixels than there is room for is drawn larger.
    let scale = Double(roomInPixels.columns) / Double(pixels.columns)
    func cells(_ pixels: Int, of cell: Int, most: Int) -> Int {
      min(most, max(1, Int((Double(pixels) * scale / Double(cell)).rounded())))
    }
    let columns = cells(width, of: canvas.cell.columns, most: room.columns)
    let rows = cells(height, of: canvas.cell.rows, most: room.rows)
    let head = "a=T,f=32,s=\(width),v=\(height),c=\(columns),r=\(rows),C=1,q=2,m=\(keys.contains("m=1") ? 1 : 0)"
    let data = parts.count == 2 ? ";\(parts[1])" : ""
    return (["\(head)\(data)"] + pieces.dropFirst().map(String.init)).map { "\u{1B}_G\($0)\u{1B}\\" }.joined()
  }

  /// What stands in the text's control strings of one kind, each of them printable ASCII; none when any holds more.
  private static func strings(in text: String, _ introducer: String) -> [Substring] {
    var found: [Substring] = []
    for piece in text.split(separator: "\u{1B}\\") {
      guard let start = piece.firstRange(of: "\u{1B}\(introducer)") else { continue }
      let body = piece[start.upperBound...]
      guard body.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return [] }
      found.append(body)
    }
    return found
  }
}
