/// A column of a listing: an id that scripts rely on, a title for people, and what its values are.
public struct Column: Sendable, Hashable, Identifiable {
  public enum Kind: String, Sendable, CaseIterable {
    case text, integer, decimal, amount, currency, time, date, size, flag
  }

  public let id: String
  public let title: String
  public let kind: Kind
  /// Columns with a higher number give way first on a narrow screen; 0 stays always.
  public let rank: Int
  /// Whether the server can sort by it.
  public let isSortable: Bool
  /// Whether it names a person, an account or an amount, which privacy mode masks.
  public let isPrivate: Bool

  public init(
    _ id: String, _ title: String, _ kind: Kind = .text, rank: Int = 1, isSortable: Bool = false,
    isPrivate: Bool = false
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.rank = rank
    self.isSortable = isSortable
    self.isPrivate = isPrivate
  }

  /// Numbers stand at the right edge, so that their digits line up.
  public var isRightAligned: Bool {
    switch kind {
    case .integer, .decimal, .amount, .size: true
    case .text, .currency, .time, .date, .flag: false
    }
  }
}
