/// Dots in cells, two across and four down in each, drawn with braille patterns.
struct BrailleGrid {
  let columns: Int
  let rows: Int
  private var masks: [UInt8]
  private var owners: [Int]

  init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
    masks = Array(repeating: 0, count: self.columns * self.rows)
    owners = Array(repeating: 0, count: self.columns * self.rows)
  }

  var dotColumns: Int { columns * 2 }
  var dotRows: Int { rows * 4 }

  /// Bits of the dots of a cell, by row and column (Unicode, Braille Patterns).
  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  /// Sets a dot, counted from the top left; who sets it last gives the cell its look.
  mutating func set(_ x: Int, _ y: Int, owner: Int) {
    guard x >= 0, y >= 0, x < dotColumns, y < dotRows else { return }
    let cell = y / 4 * columns + x / 2
    masks[cell] |= BrailleGrid.bits[y % 4][x % 2]
    owners[cell] = owner
  }

  /// A line from dot to dot (Bresenham). `keeps` says which of its dots are drawn, so that lines can be told apart.
  mutating func line(
    from start: (x: Int, y: Int), to end: (x: Int, y: Int), owner: Int, keeps: (_ x: Int, _ y: Int) -> Bool
  ) {
    var (x, y) = start
    let across = abs(end.x - x)
    let down = -abs(end.y - y)
    let (stepX, stepY) = (x < end.x ? 1 : -1, y < end.y ? 1 : -1)
    var error = across + down
    while true {
      if keeps(x, y) { set(x, y, owner: owner) }
      if x == end.x, y == end.y { return }
      let twice = 2 * error
      if twice >= down {
        error += down
        x += stepX
      }
      if twice <= across {
        error += across
        y += stepY
      }
    }
  }

  /// The pattern of a cell and who drew it last; nil when it is empty.
  subscript(column: Int, row: Int) -> (text: String, owner: Int)? {
    let mask = masks[row * columns + column]
    guard mask != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(mask)) else { return nil }
    return (String(scalar), owners[row * columns + column])
  }
}
