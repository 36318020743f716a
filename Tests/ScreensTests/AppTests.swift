import Model
import Testing

@testable import Screens

@Suite struct AppTests {
  private static func quits(_ stage: Stage) -> Bool {
    stage.effects.contains { if case .quit = $0 { true } else { false } }
  }

  @Test func `a screen of any size is drawn without leaving it`() {
    for size in [(1, 1), (5, 2), (20, 5), (21, 6), (40, 12), (99, 7), (100, 8), (300, 100)] {
      var stage = Stage(Size(columns: size.0, rows: size.1))
      stage.open(Samples.accounts, .listing)
      stage.reply(.listing(Samples.accountListing(notices: ["a notice"]), isFinal: true))
      for key in [Key.character("?"), .escape, .character("a"), .escape, .control("p"), .escape, .character("y")] {
        stage.press(key)
        #expect(stage.app.render().cells.count == size.0 * size.1)
      }
    }
  }

  @Test func `q closes a screen and quits at the top`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.press(.character("q"))
    #expect(stage.app.top is ConnectionsScreen)
    #expect(!Self.quits(stage))
    stage.press(.character("q"))
    #expect(Self.quits(stage))
  }

  @Test func `Ctrl-C stops what runs, and quits when pressed twice within a second`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.press(.control("c"))
    #expect(stage.text.contains("Stopped"))
    #expect(!Self.quits(stage))
    stage.wait(milliseconds: 1500)
    stage.press(.control("c"))
    #expect(!Self.quits(stage))
    stage.wait(milliseconds: 500)
    stage.press(.control("c"))
    #expect(Self.quits(stage))
  }

  @Test func `history goes back and forward`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.enter)
    #expect(stage.app.top is DetailScreen)
    stage.press(.character("["))
    #expect(stage.app.top?.crumb.location == Samples.accounts)
    stage.press(.character("]"))
    #expect(stage.app.top?.crumb.location == Samples.accountRows[0].location)
    stage.press(.character("]"))
    #expect(stage.text.contains("newest place"))
  }

  @Test func `a command that does not work here says why`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character("d"))
    #expect(stage.text.contains("this connection has nothing to download"))
  }

  @Test func `help names what works and what does not`() {
    var stage = Stage(Size(columns: 100, rows: 60))
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character("?"))
    #expect(stage.text.contains("Not just now"))
    #expect(stage.text.contains("[refresh]"))
    stage.press(.character("?"))
    #expect(stage.app.top is ListingScreen)
  }

  @Test func `the palette runs what it finds`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.control("p"))
    stage.type("theme")
    stage.press(.enter)
    #expect(stage.text.contains("Beacon, high contrast"))
  }

  @Test(arguments: [("sign in", "sign in to this connection"), ("sign out", "sign out of this connection")])
  func `the palette runs what is named as it is typed, not what has the same letters`(_ words: String, _ title: String)
  {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.control("p"))
    stage.type(words)
    #expect(stage.lines.first { $0.contains("│▌") }?.contains(title) == true, "\(stage.text)")
  }

  @Test func `what a job left at a place is loaded where the place is shown`() {
    var stage = Stage()
    stage.open(Samples.files, .listing)
    stage.reply(.listing(Samples.fileListing(), isFinal: true))
    let effects = stage.app.changed(Samples.files.appending("new.txt"), stage.now)
    #expect(
      effects.contains {
        if case .ask(_, .list(Samples.files, _, isRefresh: true)) = $0 { true } else { false }
      })
  }

  @Test func `themes are shown while chosen and Esc brings the old one back`() {
    var stage = Stage()
    stage.press(.character("T"), .down, .down, .escape)
    let used = stage.effects.compactMap { if case .useTheme(let name) = $0 { name } else { nil } }
    #expect(used == ["paper", "beacon", "dusk"])
  }

  @Test func `what stands in the command line at first is replaced by what is typed, and kept by moving in it`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character(":"))
    stage.type(":docs:/Shared")
    stage.press(.enter)
    guard case .nature(let location) = stage.asked.last?.request else {
      Issue.record("no place was opened")
      return
    }
    #expect(location == Location(connection: "docs").appending("Shared"))
    stage.press(.escape, .character(":"), .end)
    stage.type("81002204")
    #expect(stage.text.contains(": \(Samples.accounts.text)/81002204"))
  }

  @Test func `what lies below a place is named at the command line without the way there`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character(":"))
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.type("81002204")
    stage.press(.enter)
    guard case .nature(let location) = stage.asked.last?.request else {
      Issue.record("no place was opened")
      return
    }
    #expect(location == Samples.accounts.appending("81002204"))
  }

  @Test func `what went wrong is told to its end, which says what to do`() {
    var stage = Stage()
    let long = String(repeating: "the answer is a web page, not what was asked for; ", count: 5)
    stage.app.say(Message(.bad, "Could not load it: \(long) Try again later."), stage.now)
    #expect(stage.text.contains("later."))
  }

  @Test func `a menu without entries says why and nothing else`() {
    var stage = Stage()
    stage.press(.character("b"))
    #expect(stage.text.contains("None yet"))
    #expect(!stage.text.contains("nothing matches"))
  }

  @Test func `s sorts by a column that is in view and shows it`() {
    var stage = Stage(Size(columns: 40, rows: 12))
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.press(.character("s"))
    #expect(stage.lines[1].contains("▲"))
  }

  @Test func `columns are shown and hidden one by one, and the last one stays`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    // The label stands first, with what is in view.
    stage.press(.character("c"), .character(" "), .escape)
    #expect(stage.lines[1].contains("Number") && !stage.lines[1].contains("Label"))
    // Hidden, it stands below them.
    stage.press(.character("c"), .end, .up)
    #expect(stage.text.contains("▌  Label"))
    stage.press(.character(" "), .escape)
    #expect(stage.lines[1].contains("Label"))
    stage.press(.character("c"))
    for _ in 0..<8 { stage.press(.home, .character(" "), .down, .character(" "), .down, .character(" ")) }
    #expect(stage.text.contains("✓"))
  }

  @Test func `columns are moved, widened and put back, and the next list of the kind has them so`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    let before = stage.lines[1]
    stage.press(.character("c"), .character("J"), .escape)
    #expect(
      stage.lines[1].firstRange(of: "Number")?.lowerBound ?? before.endIndex < stage.lines[1].firstRange(of: "Label")?
        .lowerBound ?? before.startIndex)
    stage.press(.character("c"))
    for _ in 0..<6 { stage.press(.right) }
    stage.press(.escape)
    let key = ColumnArrangement.key(.openbank, Samples.accountColumns)
    #expect(stage.app.world.memory.columns[key]?.shown.first?.columns == 14)
    // Kept, and used where the same kind of list is opened again.
    guard case .saveMemory(let memory) = stage.effects.last(where: { if case .saveMemory = $0 { true } else { false } })
    else {
      Issue.record("nothing was kept")
      return
    }
    var later = Stage()
    later.app.world.memory = Memory(text: memory.text)
    later.open(Samples.accounts, .listing)
    later.reply(.listing(Samples.accountListing(), isFinal: true))
    #expect(later.lines[1] == stage.lines[1])
    stage.press(.character("c"), .character("r"), .escape)
    #expect(stage.lines[1] == before)
  }

  @Test func `the command line completes, runs commands and goes to places`() {
    var stage = Stage()
    stage.press(.character(":"), .control("u"))
    stage.type("ban")
    stage.press(.tab)
    #expect(stage.text.contains(": bank:/"))
    stage.press(.enter)
    guard case .nature(let location) = stage.asked.last?.request else {
      Issue.record("no place was opened")
      return
    }
    #expect(location == Location(connection: "bank"))
    stage.reply(.nature(.container))
    #expect(stage.app.top is ListingScreen)
    stage.press(.character(":"), .control("u"))
    stage.type("messages")
    stage.press(.enter)
    #expect(stage.app.top is MessagesScreen)
    stage.press(.escape, .character(":"), .control("u"), .up)
    #expect(stage.text.contains(": messages"))
    stage.press(.escape, .character(":"), .control("u"))
    stage.type("quit")
    stage.press(.enter)
    #expect(Self.quits(stage))
  }

  @Test(arguments: [("docs", true), ("mfp", false), ("field", false)])
  func `completion asks only connections that answer without a dialog`(_ connection: String, _ isAsked: Bool) {
    var stage = Stage()
    stage.press(.character(":"), .control("u"))
    stage.type("\(connection):/files/")
    let asked = stage.asked.contains {
      if case .list(let location, _, _) = $0.request { location.connection == connection } else { false }
    }
    #expect(asked == isAsked)
  }

  @Test func `an action is done and its place loads again`() {
    var stage = Stage()
    let item = Samples.accounts.appending("81002204")
    stage.open(item, .item)
    stage.reply(.item(Samples.accountItem, isFinal: true))
    stage.press(.character("a"), .enter)
    stage.type("Corner Shop")
    stage.press(.tab)
    stage.type("12.50")
    stage.press(.enter)
    guard case .perform(let action, let location, let fields) = stage.asked.last?.request else {
      Issue.record("nothing was done")
      return
    }
    #expect((action, location) == ("pay", item))
    #expect(fields == ["to": Secret("Corner Shop"), "amount": Secret("12.50")])
    stage.reply(.outcome(ActionOutcome("Paid 12.50 EUR to Corner Shop.")))
    #expect(stage.text.contains("Paid 12.50 EUR to Corner Shop."))
    guard case .item(item, isRefresh: true) = stage.asked.last?.request else {
      Issue.record("the item was not loaded again")
      return
    }
  }

  @Test func `what an action took away is left, and what goes by itself is said to have gone`() {
    for acts in [true, false] {
      var stage = Stage()
      let item = Samples.accounts.appending("81002204")
      stage.open(Samples.accounts, .listing)
      stage.reply(.listing(Samples.accountListing(), isFinal: true))
      stage.open(item, .item)
      stage.reply(.item(Samples.accountItem, isFinal: true))
      if acts {
        stage.press(.character("a"), .enter)
        stage.type("Corner Shop")
        stage.press(.tab)
        stage.type("12.50")
        stage.press(.enter)
        stage.reply(.outcome(ActionOutcome("Sent.")))
      } else {
        stage.press(.character("r"))
      }
      stage.reply(.failure(ServiceError(.notFound, "open it"))) {
        if case .item = $0 { true } else { false }
      }
      #expect(stage.app.top is DetailScreen != acts)
      #expect(!acts || stage.text.contains("Sent."))
    }
  }

  @Test func `a bookmark is kept and leads back`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.press(.character("B"))
    let kept = stage.effects.compactMap { if case .saveBookmarks(let places) = $0 { places } else { nil } }
    #expect(kept == [[Samples.accounts]])
    stage.press(.escape, .character("b"), .enter)
    #expect(stage.app.top?.crumb.location == Samples.accounts)
  }

  @Test func `pasted text never runs a command`() {
    var stage = Stage()
    _ = stage.app.handle(.paste("q:quit\n"), stage.now)
    #expect(!Self.quits(stage))
    #expect(stage.app.top is ConnectionsScreen)
  }

  @Test func `every wait ends: no deadline is left when nothing moves`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    #expect(stage.app.deadline != nil)
    stage.reply(.listing(Samples.accountListing(), isFinal: true))
    stage.wait(milliseconds: 20_000)
    #expect(stage.app.deadline == nil)
  }
}
