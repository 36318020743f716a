import Model
import TestKit
import Testing

@testable import Screens

@Suite struct TabTests {
  static let wide = Size(columns: 160, rows: 40)

  static let scenes: [GoldenTests.Scene] =
    GoldenTests.scenes("tabs") { stage in
      stage.openAccounts()
      stage.press(.control("n"))
      stage.open(Samples.files, .listing)
      stage.reply(.listing(Samples.fileListing(), isFinal: true))
    }
    + GoldenTests.scenes("split") { stage in
      stage.openAccounts()
      stage.press(.character("|"))
      stage.open(Samples.files, .listing)
      stage.reply(.listing(Samples.fileListing(), isFinal: true))
    }

  @Test(arguments: scenes)
  func `a screen looks as recorded`(_ scene: GoldenTests.Scene) {
    var stage = Stage(scene.size, connections: scene.connections)
    scene.play(&stage)
    expectScreen(stage.app.render(), golden: "\(scene.name)-\(scene.size.columns)x\(scene.size.rows)")
  }

  @Test func `a new tab begins at this place, and each tab keeps its own`() {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.control("n"))
    #expect(stage.app.top?.crumb.location == Samples.accounts)
    stage.open(Samples.files, .listing)
    stage.press(.character("{"))
    #expect(stage.app.top?.crumb.location == Samples.accounts)
    #expect(stage.app.top is ListingScreen)
    stage.press(.character("["))
    #expect(stage.text.contains("This is where it began"))
    stage.press(.character("2"), .character("}"))
    #expect(stage.app.top?.crumb.location == Samples.files)
    stage.press(.character("9"), .character("}"))
    #expect(stage.text.contains("There are 2 tabs"))
  }

  @Test func `an answer reaches the tab that asked, wherever the person is by then`() throws {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    let asked = try #require(stage.asked.last?.id)
    stage.press(.control("n"))
    stage.open(Samples.files, .listing)
    stage.take(.listing(Samples.accountListing(), isFinal: true), for: asked)
    #expect(stage.app.top?.crumb.location == Samples.files)
    stage.press(.character("{"))
    #expect(stage.text.contains("Everyday"))
  }

  @Test func `what a screen in the background opens it opens there`() {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.control("n"))
    stage.press(.character("{"))
    // The second tab is still finding out what its place is.
    stage.reply(.nature(.item)) { if case .nature = $0 { true } else { false } }
    #expect(stage.app.top is ListingScreen)
    stage.press(.character("}"))
    #expect(stage.app.top is DetailScreen)
  }

  @Test func `q closes screens, then the tab, and quits with the last`() {
    var stage = Stage()
    stage.press(.control("n"))
    stage.press(.character("q"))
    #expect(stage.app.tabs.count == 1)
    stage.press(.character("|"))
    #expect(stage.app.tabs[0].isSplit)
    stage.press(.character("q"))
    #expect(!stage.app.tabs[0].isSplit)
    stage.press(.character("q"))
    #expect(stage.effects.contains { if case .quit = $0 { true } else { false } })
  }

  @Test func `a closed tab takes back what it asked for`() {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.control("n"))
    let asked = stage.asked.last?.id
    stage.press(.control("w"))
    #expect(stage.effects.contains { if case .cancel(let id) = $0 { id == asked } else { false } })
    #expect(stage.app.outstanding.isEmpty)
  }

  @Test func `two marked rows stand side by side`() {
    var stage = Stage(Self.wide)
    stage.openAccounts()
    stage.press(.character(" "), .character(" "), .character("|"))
    let tab = stage.app.tabs[0]
    #expect(tab.panes.map(\.location) == Samples.accountRows.prefix(2).map(\.location))
    #expect(tab.focus == 1)
    stage.press(.character("\\"))
    #expect(stage.app.top?.crumb.location == Samples.accountRows[0].location)
  }

  @Test func `each pane is drawn in its columns, and the mouse finds it`() {
    var stage = Stage(Self.wide)
    stage.openAccounts()
    stage.press(.character("|"))
    stage.open(Samples.files, .listing)
    stage.reply(.listing(Samples.fileListing(), isFinal: true))
    let drawn = stage.app.render()
    for row in 0..<39 { #expect(drawn[79, row].text == "│") }
    stage.point(Mouse(.press, column: 3, row: 4))
    #expect(stage.app.tabs[0].focus == 0)
    #expect(stage.app.top?.crumb.location == Samples.accounts)
    stage.point(Mouse(.press, column: 90, row: 4))
    #expect(stage.app.tabs[0].focus == 1)
  }

  @Test func `where two panes have no room the one in focus is shown, and says so`() {
    var stage = Stage(Size(columns: 70, rows: 20))
    stage.openAccounts()
    stage.press(.character("|"))
    #expect(stage.text.contains("side by side from 80 columns on"))
    stage.press(.tab)
    #expect(stage.text.contains("pane 1 of 2"))
    #expect(stage.app.top?.crumb.location == Samples.accounts)
  }

  @Test func `tabs are remembered and load when they are looked at`() {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.control("n"))
    stage.open(Samples.files, .listing)
    stage.run("quit")
    var world = Samples.world()
    world.connections = Samples.connections
    world.memory = stage.app.world.memory
    var app = App(world)
    let effects = app.start(Samples.now)
    #expect(app.tabs.map { $0.pane.location } == [Samples.accounts, Samples.files])
    #expect(app.top?.crumb.location == Samples.files)
    let places = effects.compactMap { if case .ask(_, .nature(let place)) = $0 { place } else { nil } }
    #expect(places == [Samples.files])
    let more = app.handle(.key(.character("{")), Samples.now)
    #expect(more.contains { if case .ask(_, .nature(Samples.accounts)) = $0 { true } else { false } })
  }

  @Test func `a title in the line of tabs can be clicked`() {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.control("n"))
    #expect(stage.lines[0].contains("1 bank:accounts"))
    stage.point(Mouse(.press, column: 2, row: 0))
    #expect(stage.app.tab == 0)
  }
}

extension Stage {
  mutating func openAccounts() {
    open(Samples.accounts, .listing)
    reply(.listing(Samples.accountListing(), isFinal: true))
  }
}
