import Model
import Testing

@testable import Screens

@Suite struct KeyTableTests {
  private static let places: [Place] = [
    [.lists, .places], [.items, .places], .text, .trees, [.lists, .connections], [.lists, .transfers], .lists, .places,
    [.items, .vault], [.items, .syncing],
  ]

  @Test(arguments: places)
  func `no key means two things at one place`(_ place: Place) {
    var seen: [Key: Command] = [:]
    for row in KeyMap.standard.rows where !row.place.isDisjoint(with: place) {
      for key in row.keys {
        guard KeyMap.standard.command(for: key, in: place) == row.command else { continue }
        #expect(seen[key] == nil, "\(key.name) is \(row.command) and \(String(describing: seen[key]))")
        seen[key] = row.command
      }
    }
  }

  @Test func `every command has a row and a name of its own`() {
    for command in Command.allCases { #expect(KeyMap.standard.row(of: command) != nil, "\(command)") }
    #expect(Set(Command.allCases.map(\.rawValue)).count == Command.allCases.count)
  }

  @Test(arguments: [
    (Key.character("j"), Command.down), (.up, .up), (.pageDown, .pageDown), (.control("f"), .pageDown),
    (.control("d"), .halfPageDown), (.control("u"), .halfPageUp), (.home, .first), (.character("G"), .last),
    (.enter, .open), (.right, .open), (.character("l"), .open), (.escape, .back), (.backspace, .back), (.left, .back),
    (.character("["), .historyBack), (.character("]"), .historyForward), (.character("/"), .filter),
    (.character("s"), .sort), (.character("S"), .sortReverse), (.character(" "), .mark), (.character("*"), .markAll),
    (.character("v"), .view), (.character("a"), .actions), (.character(":"), .go), (.control("p"), .palette),
    (.character("f"), .search), (.character("i"), .inspect), (.character("x"), .exchanges), (.character("y"), .copy),
    (.character("e"), .export), (.character("o"), .openOutside), (.character("d"), .download),
    (.character("u"), .upload), (.character("t"), .transfers), (.character("r"), .refresh), (.function(5), .refresh),
    (.control("r"), .reload), (.character("b"), .bookmarks), (.character("B"), .bookmark), (.character("m"), .privacy),
    (.character("T"), .themes), (.delete, .delete), (.character("?"), .help), (.function(1), .help),
    (.control("c"), .cancel), (.control("l"), .repaint), (.control("z"), .suspend), (.character("q"), .close),
  ])
  func `a list obeys the keys of the table`(_ key: Key, _ command: Command) {
    #expect(KeyMap.standard.command(for: key, in: [.lists, .places]) == command)
  }

  @Test func `space turns the page where nothing can be marked`() {
    #expect(KeyMap.standard.command(for: .character(" "), in: .text) == .pageDown)
  }

  @Test func `an override takes a key and shows it first`() {
    let (map, problems) = KeyMap.standard(overrides: [("ctrl-o", "refresh"), ("s", "search")])
    #expect(problems.isEmpty)
    #expect(map.command(for: .control("o"), in: [.lists, .places]) == .refresh)
    #expect(map.command(for: .character("s"), in: [.lists, .places]) == .search)
    #expect(map.sign(for: .refresh, in: .lists) == "^O")
    #expect(map.command(for: .character("r"), in: .lists) == .refresh)
  }

  @Test(arguments: [
    ("esc", "refresh", "always"), ("hyper-x", "refresh", "no key"), ("x", "refersh", "did you mean “refresh”"),
  ])
  func `a wrong override is told and left out`(_ key: String, _ action: String, _ words: String) {
    let (map, problems) = KeyMap.standard(overrides: [(key, action)])
    #expect(problems.count == 1)
    #expect(problems.first?.contains(words) == true)
    #expect(map == .standard)
  }

  @Test func `nothing that destroys stands on a key by itself`() {
    // Delete asks first; every other command only shows, moves or opens.
    var stage = Stage()
    stage.open(Samples.files, .listing)
    stage.reply(.listing(Samples.fileListing(), isFinal: true))
    let before = stage.asked.count
    stage.press(.delete, .enter)
    #expect(stage.asked.count == before)
    stage.press(.delete, .tab, .enter)
    guard case .delete(let locations) = stage.asked.last?.request else {
      Issue.record("nothing was deleted")
      return
    }
    #expect(locations == [Samples.files.appending("Budget")])
  }
}
