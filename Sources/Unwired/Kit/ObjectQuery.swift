import JSON
import Model

/// Which rows are wanted, in words that the kept rows and the server understand alike (`SUPQuery`).
public struct ObjectQuery: Sendable, Equatable {
  /// A condition (`SUPAttributeTest`, `SUPCompositeTest`).
  public indirect enum Test: Sendable, Equatable {
    case equal(String, JSONNode), notEqual(String, JSONNode)
    case less(String, JSONNode), lessOrEqual(String, JSONNode)
    case greater(String, JSONNode), greaterOrEqual(String, JSONNode)
    /// `%` stands for any text, at the beginning, at the end or both; capitals count.
    case like(String, String)
    case isIn(String, [JSONNode])
    case between(String, JSONNode, JSONNode)
    case and([Test]), or([Test]), not(Test)
  }

  public struct SortCriterion: Sendable, Equatable {
    public var name: String
    public var isDescending: Bool
    public init(_ name: String, isDescending: Bool = false) {
      self.name = name
      self.isDescending = isDescending
    }
  }

  /// Properties to read; nil for all. Keys come anyway.
  public var select: [String]?
  /// `testCriteria`.
  public var test: Test?
  public var sortCriteria: [SortCriterion] = []
  public var skip = 0
  /// Rows at most; nil for all.
  public var take: Int?

  public init(_ test: Test? = nil, sort: [SortCriterion] = [], skip: Int = 0, take: Int? = nil) {
    self.test = test
    sortCriteria = sort
    self.skip = skip
    self.take = take
  }
}

/// A `%` pattern taken apart.
enum LikePattern: Equatable {
  case exactly(String), begins(String), ends(String), contains(String)

  /// Nil for a pattern with `%` in the middle, which a server cannot be asked for.
  init?(_ text: String) {
    let inner = text.dropFirst(text.hasPrefix("%") ? 1 : 0)
    let core = inner.hasSuffix("%") ? inner.dropLast() : inner
    guard !core.contains("%") else { return nil }
    switch (text.hasPrefix("%"), inner.hasSuffix("%")) {
    case (true, true): self = .contains(String(core))
    case (true, false): self = .ends(String(core))
    case (false, true): self = .begins(String(core))
    case (false, false): self = .exactly(String(core))
    }
  }

  func matches(_ text: String) -> Bool {
    switch self {
    case .exactly(let part): text == part
    case .begins(let part): text.hasPrefix(part)
    case .ends(let part): text.hasSuffix(part)
    case .contains(let part): part.isEmpty || text.contains(part)
    }
  }
}
