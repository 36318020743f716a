/// One thing in full: sections of fields, what belongs to it, what can be done with it, and the answer as received.
public struct Item: Sendable {
  public var location: Location
  public var title: String
  public var sections: [Section]
  /// Places that belong to it: an account's transactions, a node's versions.
  public var related: [Link]
  public var actions: [Action]
  /// Nil when there are no bytes behind it.
  public var content: ContentHead?
  /// Where the same content lies in a form that can be looked at, such as a PDF made of a letter; nil when the content
  /// is such a form itself, or there is none.
  public var preview: Location?
  public var raw: RawAnswer?
  public var freshness: Freshness
  public var notices: [String]

  public init(
    _ location: Location, title: String, sections: [Section], related: [Link] = [], actions: [Action] = [],
    content: ContentHead? = nil, preview: Location? = nil, raw: RawAnswer? = nil, freshness: Freshness = .live,
    notices: [String] = []
  ) {
    self.location = location
    self.title = title
    self.sections = sections
    self.related = related
    self.actions = actions
    self.content = content
    self.preview = preview
    self.raw = raw
    self.freshness = freshness
    self.notices = notices
  }

  public struct Section: Sendable, Hashable {
    public var title: String
    public var fields: [Field]
    public init(_ title: String, _ fields: [Field]) {
      self.title = title
      self.fields = fields
    }
  }

  /// All fields of all sections; ids are unique within an item.
  public var fields: [Field] { sections.flatMap(\.fields) }
}

public struct Field: Sendable, Hashable, Identifiable {
  public let id: String
  public let title: String
  public let value: Value
  public let kind: Column.Kind
  public let isPrivate: Bool

  public init(_ id: String, _ title: String, _ value: Value, _ kind: Column.Kind = .text, isPrivate: Bool = false) {
    self.id = id
    self.title = title
    self.value = value
    self.kind = kind
    self.isPrivate = isPrivate
  }
}

public struct Link: Sendable, Hashable {
  public let title: String
  public let location: Location
  public let opening: Row.Opening
  public init(_ title: String, _ location: Location, opening: Row.Opening = .listing) {
    self.title = title
    self.location = location
    self.opening = opening
  }
}

/// An answer exactly as the server sent it.
public struct RawAnswer: Sendable, Hashable {
  public let bytes: [UInt8]
  public let mediaType: String
  /// Exchange in the log that brought it; nil when it comes from a store.
  public let exchange: Int?
  public init(bytes: [UInt8], mediaType: String, exchange: Int? = nil) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.exchange = exchange
  }
}
