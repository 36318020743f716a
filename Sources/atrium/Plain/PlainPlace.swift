import Model

/// Where a person is in plain mode, and what can be chosen there by number.
enum PlainPlace {
  case connections([Connection])
  /// All rows read so far, and how many of them were said.
  case listing(Listing, said: Int)
  case item(Item)

  var location: Location? {
    switch self {
    case .connections: nil
    case .listing(let listing, _): listing.location
    case .item(let item): item.location
    }
  }

  var actions: [Action] {
    switch self {
    case .connections: []
    case .listing(let listing, _): listing.actions
    case .item(let item): item.actions
    }
  }

  /// What the prompt says.
  var name: String { location.map { Visible.printed($0.text) } ?? "connections" }
}

/// What can be typed in plain mode; drives reading and help.
struct PlainCommand {
  enum Kind {
    case open, more, back, again, go, record, search, filter, actions, download, raw, privacy, home, help, quit
  }

  let kind: Kind
  let word: String
  let form: String
  let help: String

  private init(_ kind: Kind, _ word: String, _ form: String, _ help: String) {
    self.kind = kind
    self.word = word
    self.form = form
    self.help = help
  }

  static let all = [
    PlainCommand(.open, "open", "N", "open what has this number; the number alone does it too"),
    PlainCommand(.more, "more", "", "the next rows; Enter alone does it too"),
    PlainCommand(.record, "row", "N", "all of row N, with the names of its columns"),
    PlainCommand(.back, "back", "", "where you were before"),
    PlainCommand(.again, "again", "", "ask the server and say this place again"),
    PlainCommand(.go, "go", "LOCATION", "go to a location, such as bank:/accounts"),
    PlainCommand(.home, "home", "", "the connections"),
    PlainCommand(.search, "search", "WORDS", "search the content of this connection"),
    PlainCommand(.filter, "where", "WORDS", "of the rows read so far, those that contain these words"),
    PlainCommand(.actions, "do", "[N]", "what can be done here; with a number it is done"),
    PlainCommand(.download, "get", "N", "download the content of row N, or of what is open"),
    PlainCommand(.raw, "raw", "", "the server's own answer"),
    PlainCommand(.privacy, "mask", "", "mask amounts, names and numbers, or stop masking them"),
    PlainCommand(.help, "help", "", "these lines"),
    PlainCommand(.quit, "quit", "", "leave"),
  ]

  /// The command a line means, and what follows it. The first letters of a word do as long as they are one word's; of two
  /// words the first in the table wins, so that `b` is back and `h` is home.
  static func reading(_ line: String) -> (kind: Kind, rest: String)? {
    let halves = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard let word = halves.first else { return (.more, "") }
    let rest = halves.count > 1 ? halves[1] : ""
    if Int(word) != nil, rest.isEmpty { return (.open, word) }
    if word == "?" { return (.help, "") }
    if word.contains(":/"), rest.isEmpty { return (.go, word) }
    let lower = word.lowercased()
    guard let command = all.first(where: { $0.word == lower }) ?? all.first(where: { $0.word.hasPrefix(lower) }) else {
      return nil
    }
    return (command.kind, rest)
  }
}
