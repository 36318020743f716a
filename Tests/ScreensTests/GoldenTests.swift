import Model
import TestKit
import Testing

@testable import Screens

/// What each screen looks like, at three sizes, with awkward data.
@Suite struct GoldenTests {
  struct Scene: CustomTestStringConvertible, Sendable {
    let name: String
    let size: Size
    let play: @Sendable (inout Stage) -> Void
    var connections = Samples.connections
    var testDescription: String { "\(name) at \(size.columns)x\(size.rows)" }
  }

  static let sizes = [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 40, rows: 12)]

  static func scenes(
    _ name: String, connections: [ConnectionInfo] = Samples.connections,
    _ play: @escaping @Sendable (inout Stage) -> Void
  ) -> [Scene] {
    sizes.map { Scene(name: name, size: $0, play: play, connections: connections) }
  }

  static let failure = ServiceError(
    .unreachable, "load the accounts of Rainbow Bank", detail: "connection refused by bank.example port 443")

  static let login = Question(
    connection: "bank", title: "Sign in to bank", message: "Rainbow Bank asks for your name and password.",
    kind: .form(
      [
        FormField("username", "User name", initial: "susan"),
        FormField("password", "Password", .secret, initialSecret: Secret("correct horse")),
      ], submit: "Sign in"), attemptsLeft: 2, failure: "the name or the password is wrong [OBP-20004]")

  static let all: [Scene] =
    scenes("welcome", connections: []) { _ in }
    + scenes("connections") { $0.press(.down) }
    + scenes("accounts") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.down)
    }
    + scenes("accounts-preview") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.wait(milliseconds: 200)
      $0.reply(.item(Samples.accountItem, isFinal: true))
    }
    + scenes("accounts-private") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character("m"))
      $0.wait(milliseconds: 5000)
    }
    + scenes("transactions") {
      $0.open(Samples.transactions, .listing)
      $0.reply(
        .listing(Samples.transactionListing(from: 0, count: 50, next: "p2", total: .exact(12_345)), isFinal: true))
      $0.reply(
        .listing(Samples.transactionListing(from: 50, count: 50, next: "p3", total: .exact(12_345)), isFinal: true))
      $0.press(.character(" "), .character(" "), .character("s"), .character("s"))
      $0.press(.pageDown)
    }
    + scenes("filter") {
      $0.open(Samples.transactions, .listing)
      $0.reply(.listing(Samples.transactionListing(from: 0, count: 200, next: nil), isFinal: true))
      $0.press(.character("/"))
      $0.type("rail 1")
    }
    + scenes("filter-nothing") {
      $0.open(Samples.transactions, .listing)
      $0.reply(.listing(Samples.transactionListing(from: 0, count: 200, next: "p2"), isFinal: true))
      $0.press(.character("/"))
      $0.type("zebra")
      $0.press(.enter)
    }
    + scenes("filter-conditions") {
      $0.open(Samples.transactions, .listing)
      $0.reply(.listing(Samples.transactionListing(from: 0, count: 200, next: nil), isFinal: true))
      $0.press(.character("/"))
      $0.type("amount:>20 2026-11..2026-11 -rail")
      $0.press(.enter)
    }
    + scenes("filter-wrong") {
      $0.open(Samples.transactions, .listing)
      $0.reply(.listing(Samples.transactionListing(from: 0, count: 200, next: nil), isFinal: true))
      $0.press(.character("/"))
      $0.type("ammount:>50")
    }
    + scenes("marked") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character(" "), .character(" "), .character(" "))
    }
    + scenes("columns") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character("c"), .character("J"), .right, .right)
    }
    + scenes("export") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character("e"))
      $0.reply(
        .exportFormats([ExportFormat(id: "ofx", title: "OFX statement", suffix: "ofx") { _ in [] }]))
    }
    + scenes("files") {
      $0.open(Samples.files, .listing)
      $0.reply(.listing(Samples.fileListing(), isFinal: true))
      $0.press(.down, .down)
    }
    + scenes("loading") { $0.open(Samples.accounts, .listing) }
    + scenes("empty") {
      $0.open(Samples.accounts, .listing)
      $0.reply(
        .listing(Listing(Samples.accounts, title: "Accounts", columns: Samples.accountColumns, rows: []), isFinal: true)
      )
    }
    + scenes("failed") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.failure(failure))
    }
    + scenes("cached") {
      $0.open(Samples.accounts, .listing)
      var listing = Samples.accountListing(notices: ["the index is catching up"])
      listing.freshness = .cached(Samples.now.adding(seconds: -12))
      $0.reply(.listing(listing, isFinal: false))
      $0.reply(.failure(failure))
    }
    + scenes("detail") {
      $0.open(Samples.accounts.appending("81002204"), .item)
      $0.reply(.item(Samples.accountItem, isFinal: true))
      $0.press(.down, .down)
    }
    + scenes("sign-in") {
      $0.open(Samples.accounts, .listing)
      $0.ask(login)
    }
    + scenes("delete") {
      $0.open(Samples.files, .listing)
      $0.reply(.listing(Samples.fileListing(), isFinal: true))
      $0.press(.down, .down, .delete)
    }
    + scenes("device") {
      $0.ask(
        Question(
          connection: "docs", title: "Sign in to docs", message: "Type this code at the address below, on any device.",
          kind: .device(
            code: "WDJB-MJHT", url: "https://idp.example/device", expires: Samples.now.adding(seconds: 600))))
    }
    + scenes("choice") {
      $0.ask(
        Question(
          connection: "field", title: "Conflict", message: "Customer 2001 was changed on the server meanwhile.",
          kind: .choice([
            FormField.Choice("mine", "Keep mine"), FormField.Choice("theirs", "Take the server's"),
            FormField.Choice("both", "Keep both"),
          ])))
    }
    + scenes("help") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character("?"))
    }

  static let item = Samples.accounts.appending("81002204")

  /// Opens a document in the viewer.
  static func view(_ stage: inout Stage, _ name: String, _ type: String, _ bytes: [UInt8]) {
    let location = Samples.files.appending(name)
    stage.open(location, .item)
    let head = ContentHead(name: name, mediaType: type, size: Int64(bytes.count))
    stage.reply(.item(Item(location, title: name, sections: [], content: head), isFinal: true))
    stage.press(.character("v"))
    stage.reply(.content(head, bytes, isCut: false))
  }

  static let more: [Scene] =
    scenes("answer") {
      $0.open(item, .item)
      $0.reply(.item(Samples.accountItem, isFinal: true))
      $0.press(.character("i"), .down, .down, .down)
    }
    + scenes("answer-found") {
      $0.open(item, .item)
      $0.reply(.item(Samples.accountItem, isFinal: true))
      $0.press(.character("i"), .character("z"), .character("/"))
      $0.type("name")
    }
    + scenes("text") {
      let text = """
        Meeting notes — 会議メモ

        Susan said that the quarterly numbers are better than expected, and that nobody should tell the press before Tuesday.
        \ttab\tstops\tare\tkept
        \u{1B}]0;evil title\u{7} and \u{202E}reversed\u{202C} text
        🐖 👨‍👩‍👧 e\u{301}\u{302}\u{303}
        """
      view(&$0, "notes.txt", "text/plain", Array(text.utf8))
    }
    + scenes("bytes") {
      view(&$0, "logo.bin", "application/octet-stream", [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10] + Array(0...255))
    }
    + scenes("search") {
      $0.open(Samples.files, .listing)
      $0.reply(.listing(Samples.fileListing(), isFinal: true))
      $0.press(.character("f"))
      $0.type("budget report")
      $0.press(.enter)
      $0.reply(.listing(Samples.searchListing(), isFinal: true))
      $0.press(.down)
    }
    + scenes("search-facets") {
      $0.open(Samples.files, .listing)
      $0.reply(.listing(Samples.fileListing(), isFinal: true))
      $0.press(.character("f"))
      $0.type("budget report")
      $0.press(.enter)
      $0.reply(.listing(Samples.searchListing(), isFinal: true))
      $0.press(.tab, .enter)
    }
    + scenes("search-nothing") {
      $0.open(Samples.files, .listing)
      $0.press(.character("f"))
      $0.type("bugdet")
      $0.press(.enter)
      let listing = Listing(Samples.files, title: "Search", columns: [], rows: [], suggestions: ["budget"])
      $0.reply(.listing(listing, isFinal: true))
    }
    + scenes("exchanges") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
    }
    + scenes("exchange") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
      $0.press(.down, .enter)
      $0.reply(.exchange(Samples.exchanges[1]))
    }
    + scenes("waterfall") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
      $0.press(.character("v"), .down)
    }
    + scenes("exchange-hex") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
      $0.press(.end, .up, .enter)
      $0.reply(.exchange(Samples.exchanges[1]))
      $0.press(.character("v"), .character("v"))
    }
    + scenes("differences") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
      $0.press(.end, .character(" "), .up, .character(" "), .character("="))
    }
    + scenes("replay") {
      $0.press(.character("x"))
      $0.reply(.exchanges([InspectorTests.logged]))
      $0.press(.character("R"))
    }
    + scenes("search-everywhere") {
      $0.press(.character("F"))
      $0.type("budget")
      $0.press(.enter)
      for asked in $0.asked {
        guard case .search(let name, _) = asked.request else { continue }
        if name == "docs" { _ = $0.app.take(.listing(Samples.searchListing(), isFinal: true), for: asked.id, $0.now) }
        if name == "bank" { _ = $0.app.take(.failure(.notOffered("search", "it has none")), for: asked.id, $0.now) }
      }
      $0.press(.down, .down)
    }
    + scenes("probed") {
      ConnectionGuideTests.guide(&$0)
      $0.reply(.probed(ConnectionGuideTests.found))
    }
    + scenes("add-connection") {
      ConnectionGuideTests.guide(&$0)
      $0.reply(.probed(ConnectionGuideTests.found))
      $0.press(.down, .enter)
    }
    + scenes("transfers") {
      $0.app.world.jobs = Samples.jobs
      $0.press(.character("t"), .down)
    }
    + scenes("command-line") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character(":"))
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.type("810023")
      $0.press(.down, .down)
    }
    + scenes("command-line-wrong") {
      $0.press(.character(":"), .control("u"))
      $0.type("refersh")
      $0.press(.enter)
    }
    + scenes("palette") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.control("p"))
      $0.type("refr")
    }
    + scenes("actions") {
      $0.open(item, .item)
      $0.reply(.item(Samples.accountItem, isFinal: true))
      $0.press(.character("a"))
    }
    + scenes("action-form") {
      $0.open(item, .item)
      $0.reply(.item(Samples.accountItem, isFinal: true))
      $0.press(.character("a"), .enter)
      $0.type("Corner Shop")
      $0.press(.tab)
      $0.type("12,50")
      $0.press(.enter)
    }
    + scenes("copy") {
      $0.open(Samples.accounts, .listing)
      $0.reply(.listing(Samples.accountListing(), isFinal: true))
      $0.press(.character("y"))
    }
    + scenes("themes") { $0.press(.character("T"), .down) }
    + scenes("messages") {
      $0.app.say(Message(.good, "Signed in as susan"), Samples.now)
      $0.app.say(Message(.bad, failure.message), Samples.now.adding(seconds: 61))
      $0.press(.character("M"), .escape, .character("M"))
    }
    + [
      Scene(name: "too-small", size: Size(columns: 19, rows: 4)) { _ in },
      Scene(name: "smallest", size: Size(columns: 20, rows: 5)) {
        $0.open(Samples.accounts, .listing)
        $0.reply(.listing(Samples.accountListing(), isFinal: true))
      },
      Scene(name: "largest", size: Size(columns: 300, rows: 100)) {
        $0.open(Samples.transactions, .listing)
        $0.reply(.listing(Samples.transactionListing(from: 0, count: 200, next: nil), isFinal: true))
      },
    ]

  static let chartConnections = Samples.connections.map { info in
    var info = info
    info.capabilities.insert(.charts)
    return info
  }

  /// Opens the account's chart, of which there are several.
  static func draw(_ stage: inout Stage, _ charts: [Chart]) {
    stage.open(item, .item)
    stage.reply(.item(Samples.accountItem, isFinal: true))
    stage.press(.character("v"))
    stage.reply(.charts(charts))
  }

  static let charts: [Scene] =
    scenes("chart-line", connections: chartConnections) {
      draw(&$0, [Samples.balanceChart, Samples.monthsChart])
      $0.press(.left, .left, .left)
    }
    + scenes("chart-bars", connections: chartConnections) {
      draw(&$0, [Samples.balanceChart, Samples.monthsChart])
      $0.press(.tab, .right)
    }
    + scenes("chart-lying", connections: chartConnections) {
      draw(&$0, [Samples.payeesChart])
      $0.press(.down, .down)
    }
    + scenes("chart-private", connections: chartConnections) {
      draw(&$0, [Samples.payeesChart])
      $0.press(.character("m"))
      $0.wait(milliseconds: 5000)
    }
    + scenes("chart-ascii", connections: chartConnections) {
      $0.app.world.isUnicode = false
      draw(&$0, [Samples.monthsChart, Samples.balanceChart])
    }
    + scenes("chart-sizes") {
      $0.open(Samples.files, .listing)
      $0.reply(.listing(Samples.fileListing(), isFinal: true))
      $0.press(.character("v"))
      if $0.app.top is ListingScreen { $0.press(.character("v")) }
    }
    + scenes("chart-times") {
      $0.press(.character("x"))
      $0.reply(.exchanges(Samples.exchanges))
      $0.press(.character("v"), .character("v"), .tab)
    }
    + [
      Scene(
        name: "chart-line", size: Size(columns: 200, rows: 60), play: { draw(&$0, [Samples.balanceChart]) },
        connections: chartConnections)
    ]

  @Test(arguments: all + more + charts)
  func `a screen looks as recorded`(_ scene: Scene) {
    var stage = Stage(scene.size, connections: scene.connections)
    scene.play(&stage)
    expectScreen(stage.app.render(), golden: "\(scene.name)-\(scene.size.columns)x\(scene.size.rows)")
  }
}
