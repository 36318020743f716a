import Model

/// What was seen on a stage, picture by picture.
package struct Film: Sendable {
  package struct Picture: Sendable {
    package let buffer: CellBuffer
    package let theme: Theme
    /// Milliseconds since the film began, without what was left out.
    package let time: Int64
  }

  package let title: String?
  /// What the clock showed at the start.
  package let start: Timestamp
  package private(set) var pictures: [Picture] = []
  /// Milliseconds from the first picture to the end.
  package private(set) var length: Int64 = 0
  /// Time that passed while nothing was filmed.
  private var cut: Int64 = 0

  package init(title: String?, start: Timestamp) {
    self.title = title
    self.start = start
  }

  /// Adds a picture, unless it looks like the one before; the film is at least as long as this moment either way.
  package mutating func add(_ buffer: CellBuffer, _ theme: Theme, at now: Timestamp) {
    length = time(now)
    if let before = pictures.last, before.buffer == buffer, before.theme == theme { return }
    pictures.append(Picture(buffer: buffer, theme: theme, time: length))
  }

  /// Leaves out what passes from the last picture to this moment.
  package mutating func skip(to now: Timestamp) {
    cut += max(0, time(now) - length)
  }

  private func time(_ now: Timestamp) -> Int64 { max(0, now.milliseconds - start.milliseconds - cut) }

  /// The largest picture.
  package var size: Size {
    Size(
      columns: pictures.map(\.buffer.size.columns).max() ?? 0, rows: pictures.map(\.buffer.size.rows).max() ?? 0)
  }
}
