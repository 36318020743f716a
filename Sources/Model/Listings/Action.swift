/// Something that can be done here and now, with the form it needs, or the reason why not.
public struct Action: Sendable, Hashable, Identifiable {
  public let id: String
  public let title: String
  public let fields: [FormField]
  /// Why it cannot be done just now; nil when it can.
  public let disabled: String?
  /// What cannot be undone, in words that name what goes ("Delete “Report.pdf” for good"); nil needs no question.
  public let warning: String?

  public init(_ id: String, _ title: String, fields: [FormField] = [], disabled: String? = nil, warning: String? = nil)
  {
    self.id = id
    self.title = title
    self.fields = fields
    self.disabled = disabled
    self.warning = warning
  }
}

/// One input of a form.
public struct FormField: Sendable, Hashable, Identifiable {
  public enum Kind: Sendable, Hashable {
    case text, multiline, integer, date, flag, file
    /// Never echoed, never kept in history.
    case secret
    /// An amount in this currency; empty when it is chosen elsewhere.
    case amount(currency: String)
    case choice([Choice])
  }

  public struct Choice: Sendable, Hashable {
    public let value: String
    public let title: String
    public init(_ value: String, _ title: String) {
      self.value = value
      self.title = title
    }
  }

  public let id: String
  public let title: String
  public let kind: Kind
  /// What stands in it at the start. A secret's initial value is a `Secret` and goes into `initialSecret`.
  public let initial: String
  public let initialSecret: Secret?
  public let isRequired: Bool
  public let hint: String?

  public init(
    _ id: String, _ title: String, _ kind: Kind = .text, initial: String = "", initialSecret: Secret? = nil,
    isRequired: Bool = true, hint: String? = nil
  ) {
    self.id = id
    self.title = title
    self.kind = kind
    self.initial = initial
    self.initialSecret = initialSecret
    self.isRequired = isRequired
    self.hint = hint
  }
}

/// What an action did.
public struct ActionOutcome: Sendable, Hashable {
  /// One sentence: "Renamed to “Report 2.pdf”."
  public let message: String
  /// The thing as it stands now, when it moved or was made.
  public let location: Location?
  /// Whether what is at the location is the very reason for the action, so that it is shown at once.
  public let isAnswer: Bool
  /// What takes it back, to be done in this order; empty where the server cannot.
  public let undo: [Undo]

  public init(_ message: String, location: Location? = nil, isAnswer: Bool = false, undo: [Undo] = []) {
    self.message = message
    self.location = location
    self.isAnswer = isAnswer
    self.undo = undo
  }
}

/// The action that takes another one back.
public struct Undo: Sendable, Hashable {
  public let action: String
  public let location: Location
  public let fields: [String: String]
  public init(_ action: String, at location: Location, fields: [String: String] = [:]) {
    self.action = action
    self.location = location
    self.fields = fields
  }
}

extension Location {
  /// What running an action here is called in messages: "could not do “rename” at docs:/files/a".
  public func doing(_ action: String) -> String { "do “\(action)” at \(self)" }
}
