/// Where a cut listing goes on. The back end's own cursor names a page; ours can also name a row inside one, and a row
/// of a listing that had to be loaded whole to be sorted.
enum PageCursor: Equatable {
  /// A page by the back end's cursor (nil for the first) and rows of it that were shown already, with the page size it
  /// was asked for, since that decides where pages end.
  case page(String?, skip: Int, size: Int?)
  case sorted(offset: Int)

  /// Reads what `text` made; anything else is a back end's own cursor.
  init(_ text: String?) {
    guard let text else {
      self = .page(nil, skip: 0, size: nil)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    if parts.count == 2, parts[0] == "sorted", let offset = Int(parts[1]), offset >= 0 {
      self = .sorted(offset: offset)
    } else if parts.count == 4, parts[0] == "within", let skip = Int(parts[1]), skip >= 0, let size = Int(parts[2]) {
      self = .page(parts[3].isEmpty ? nil : String(parts[3]), skip: skip, size: size > 0 ? size : nil)
    } else {
      self = .page(text, skip: 0, size: nil)
    }
  }

  var text: String {
    switch self {
    case .sorted(let offset): "sorted:\(offset)"
    case .page(let cursor, let skip, let size): "within:\(skip):\(size ?? 0):\(cursor ?? "")"
    }
  }
}
