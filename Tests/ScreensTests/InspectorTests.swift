import Model
import Testing

@testable import Screens

@Suite struct InspectorTests {
  static func log(_ exchanges: [ExchangeInfo] = Samples.exchanges) -> Stage {
    var stage = Stage()
    stage.press(.character("x"))
    stage.reply(.exchanges(exchanges))
    return stage
  }

  static let logged = ExchangeInfo(
    id: 9, connection: "bank", started: Samples.now, method: "POST",
    url: "https://bank.example/obp/v5.1.0/banks/rbs/accounts", status: 201,
    requestHeaders: [
      .init("Authorization", "«redacted»"), .init("Content-Type", "application/json"), .init("Host", "bank.example"),
    ], requestBody: Array(#"{"label":"New"}"#.utf8))

  /// What was asked to be sent.
  private static func calls(_ stage: Stage) -> [RawCall] {
    stage.asked.compactMap { if case .call(_, let call) = $0.request { call } else { nil } }
  }

  @Test func `words are found in bodies, and the exchange opens where they stand`() {
    var stage = Self.log()
    stage.press(.character("f"))
    stage.type("piggy")
    stage.press(.enter)
    #expect(stage.text.contains("stands in no exchange"))
    stage.press(.character("f"), .control("u"))
    stage.type("everyday ACCOUNT")
    stage.press(.enter)
    #expect(stage.text.contains("1 of 5 exchanges"))
    stage.press(.enter)
    stage.reply(.exchange(Samples.exchanges[1]))
    #expect(stage.text.contains("match 1 of"))
    stage.press(.escape, .escape, .escape)
    #expect(stage.text.contains("5 exchanges"))
  }

  @Test func `two marked exchanges are compared`() {
    var stage = Self.log()
    stage.press(.character("="))
    #expect(stage.text.contains("mark two exchanges first"))
    stage.press(.home, .down, .down, .down, .character(" "), .character(" "), .character("="))
    #expect(stage.app.top is DifferencesScreen)
    #expect(stage.text.contains("Exchanges 1 and 2"))
    #expect(stage.text.contains("- POST") && stage.text.contains("+ GET"))
  }

  @Test func `lines that differ stand beside one another`() {
    let diff = LineDiff(["a", "b", "c", "d"], ["a", "x", "c", "d", "e"])
    #expect(diff.rows == [.same(0, 0), .changed(1, 1), .same(2, 2), .same(3, 3), .changed(nil, 4)])
    #expect(diff.changes == [1, 4])
    #expect(LineDiff(["a"], ["a"]).changes.isEmpty)
    let long = LineDiff((0..<50).map(String.init), (0..<50).map { $0 == 25 ? "x" : String($0) })
    #expect(long.excerpt(around: 1).map { $0 == nil } == [true, false, false, false, true])
  }

  @Test func `a request is sent again with what was changed, and nothing that changes is sent unasked`() {
    var stage = Self.log([Self.logged])
    stage.press(.character("R"))
    #expect(stage.text.contains("/banks/rbs/accounts") && !stage.text.contains("Authorization"))
    stage.press(.enter)
    #expect(Self.calls(stage).isEmpty)
    #expect(stage.text.contains("It may change what is there"))
    // Cancel is the default.
    stage.press(.enter)
    #expect(Self.calls(stage).isEmpty)
    stage.press(.character("R"), .enter, .left, .enter)
    #expect(Self.calls(stage).map(\.path) == ["/banks/rbs/accounts"])
    #expect(Self.calls(stage).first?.headers.map(\.name) == ["Content-Type"])
    stage.reply(.called(exchange: 10))
    guard case .exchange(id: 10) = stage.asked.last?.request else {
      Issue.record("the new exchange was not opened")
      return
    }
  }

  @Test func `a read is sent at once`() {
    var stage = Self.log()
    stage.press(.end, .up, .character("R"), .tab)
    stage.type("&x=1")
    stage.press(.enter)
    #expect(Self.calls(stage).map(\.path) == ["/my/banks/rbs/accounts?limit=50&x=1"])
  }

  @Test func `a read-only connection sends nothing that changes`() {
    var connections = Samples.connections
    connections[0].isReadOnly = true
    var stage = Stage(connections: connections)
    stage.press(.character("x"))
    stage.reply(.exchanges([Self.logged]))
    stage.press(.character("R"), .enter)
    #expect(Self.calls(stage).isEmpty)
    #expect(stage.text.contains("POST is not sent"))
  }

  @Test func `what lies outside the connection's address is not sent, nor what holds a redacted secret`() {
    var stage = Self.log()
    stage.press(.end, .character("R"))
    #expect(stage.text.contains("outside that of bank"))
    var logged = Self.logged
    logged.method = "GET"
    logged.url += "?token=«redacted»"
    stage = Self.log([logged])
    stage.press(.character("R"), .enter)
    #expect(Self.calls(stage).isEmpty)
    #expect(stage.text.contains("A secret was taken out"))
  }

  @Test func `e writes the marked exchanges, the oldest first`() {
    var stage = Self.log()
    stage.press(.character(" "), .character(" "), .character("e"))
    guard case .saveExchanges(let ids, let name) = stage.asked.last?.request else {
      Issue.record("nothing was written")
      return
    }
    #expect(ids == [4, 5])
    #expect(name == "exchanges-4-5.har")
  }

  @Test func `redaction marks are seen as such and counted`() {
    #expect(RedactionMarks.spans("a «redacted» b", Style()).map(\.style.role) == [.text, .secret, .text])
    #expect(RedactionMarks.spans("« no end", Style()).map(\.text) == ["« no end"])
    #expect(RedactionMarks.count(in: "x «redacted» «redacted»") == 2)
  }

  @Test func `all connections are searched at once and grouped`() {
    var stage = Stage()
    stage.press(.character("F"))
    stage.type("budget")
    stage.press(.enter)
    let asked = stage.asked.compactMap { asked -> (RequestID, String)? in
      if case .search(let name, _) = asked.request { (asked.id, name) } else { nil }
    }
    #expect(asked.map(\.1) == ["bank", "docs", "mfp", "field"])
    _ = stage.app.take(.failure(.notOffered("search")), for: asked[0].0, stage.now)
    _ = stage.app.take(.listing(Samples.searchListing(), isFinal: true), for: asked[1].0, stage.now)
    #expect(stage.text.contains("docs  3 results"))
    #expect(stage.text.contains("3 results"))
    stage.press(.character("j"), .tab, .down, .enter)
    #expect(stage.effects.isEmpty == false)
    #expect(stage.app.top?.crumb.location == Samples.searchListing().rows[0].location)
  }

  @Test func `the place in view is where the next start goes on`() {
    var stage = Stage()
    stage.open(Samples.accounts, .listing)
    stage.type(":")
    stage.press(.control("u"))
    stage.type("q")
    stage.press(.enter)
    let kept = stage.effects.compactMap { if case .saveMemory(let memory) = $0 { memory } else { nil } }.last
    #expect(kept?.places == [Samples.accounts])
    var world = Samples.world()
    world.memory = kept ?? Memory()
    var app = App(world)
    _ = app.start(Samples.now)
    #expect(app.top?.crumb.location == Samples.accounts)
    #expect(app.stack.first is ConnectionsScreen)
    world.connections = []
    app = App(world)
    _ = app.start(Samples.now)
    #expect(app.top is ConnectionsScreen)
  }

  @Test func `following asks again and marks what is new, until w or a failure ends it`() {
    var stage = Stage()
    stage.open(Samples.transactions, .listing)
    stage.reply(.listing(Samples.transactionListing(from: 5, count: 20, next: nil), isFinal: true))
    let before = stage.asked.count
    stage.press(.character("w"))
    #expect(stage.asked.count == before + 1)
    stage.reply(.listing(Samples.transactionListing(from: 5, count: 20, next: nil), isFinal: true))
    stage.wait(milliseconds: 4000)
    #expect(stage.asked.count == before + 1)
    stage.wait(milliseconds: 1500)
    #expect(stage.asked.count == before + 2)
    stage.reply(.listing(Samples.transactionListing(from: 3, count: 22, next: nil), isFinal: true))
    // The newest is in view because the top was; the second new one is marked.
    #expect(stage.lines[2].hasPrefix("▌") && stage.lines[3].hasPrefix("+") && stage.lines[4].hasPrefix(" "))
    stage.press(.character("w"))
    stage.wait(milliseconds: 20_000)
    #expect(stage.asked.count == before + 2)
    #expect(stage.app.deadline == nil)
  }
}
