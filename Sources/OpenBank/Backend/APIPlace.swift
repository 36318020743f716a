/// What a location below `/api` names: the server as its developers see it.
enum APIPlace: Sendable, Hashable {
  case information
  case endpoints
  case endpoint(String)
  case tags
  case favorites
  case versions
  case glossary
  case term(String)
  /// Requests that were tried out in this run of the program.
  case trials
  case trial(Int)

  /// - Parameter rest: The names below `api`.
  init?(_ rest: ArraySlice<String>) {
    let names = Array(rest)
    switch (names.first, names.count) {
    case (nil, _): self = .information
    case ("endpoints", 1): self = .endpoints
    case ("endpoints", 2): self = .endpoint(names[1])
    case ("tags", 1): self = .tags
    case ("favorites", 1): self = .favorites
    case ("versions", 1): self = .versions
    case ("glossary", 1): self = .glossary
    case ("glossary", 2): self = .term(names[1])
    case ("tries", 1): self = .trials
    case ("tries", 2):
      guard let number = Int(names[1]) else { return nil }
      self = .trial(number)
    default: return nil
    }
  }

  var isItem: Bool {
    switch self {
    case .endpoint, .term, .trial: true
    case .information, .endpoints, .tags, .favorites, .versions, .glossary, .trials: false
    }
  }
}
