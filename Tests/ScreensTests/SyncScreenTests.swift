import Model
import TestKit
import Testing

@testable import Screens

enum SyncSamples {
  static let pending = Location(connection: "field", path: ["pending"])

  static func listing(_ states: [String]) -> Listing {
    let rows = states.enumerated().map { index, state in
      Row(
        pending.appending(String(index + 1)),
        [
          .integer(Int64(index + 1)), .text("Customers"), .text("update"), .text(String(101 + index)), .text(state),
          state == "conflict" ? .text("412: it was changed meanwhile") : .null,
        ])
    }
    return Listing(
      pending, title: "Pending changes",
      columns: [
        Column("id", "Id", .integer, rank: 0), Column("set", "Set", rank: 0), Column("operation", "Operation"),
        Column("key", "Key", rank: 0), Column("state", "State"), Column("error", "Error"),
      ], rows: rows, total: .exact(rows.count), freshness: .offline(nil))
  }

  static let data = Listing(
    Location(connection: "field", path: ["data"]), title: "Data",
    columns: [Column("name", "Set"), Column("synced", "Synchronised", .time)],
    rows: [
      Row(
        Location(connection: "field", path: ["data", "Customers"]),
        [
          .text("Customers"), .time(Samples.now.adding(seconds: -310)),
        ])
    ])

  static let conflict = Item(
    pending.appending("2"), title: "update Customers 102",
    sections: [
      Item.Section(
        "Edit",
        [
          Field("id", "Id", .integer(2), .integer), Field("set", "Set", .text("Customers")),
          Field("state", "State", .text("conflict")), Field("error", "Error", .text("412: it was changed meanwhile")),
        ]),
      Item.Section(
        "Mine",
        [
          Field("mine.city", "city", .text("Casablanca")), Field("mine.note", "note", .text("ring twice")),
        ]),
      Item.Section(
        "Theirs",
        [
          Field("theirs.city", "city", .text("Fès — the old town, third gate behind the tanneries")),
          Field("theirs.note", "note", .null), Field("theirs.credit", "credit", .decimal("1200.50")),
        ]),
      Item.Section(
        "Before",
        [
          Field("base.city", "city", .text("Rabat")), Field("base.note", "note", .null),
          Field("base.credit", "credit", .decimal("900.00")),
        ]),
    ],
    actions: [
      Action("retry", "Send it again"), Action("keep-mine", "Send mine over theirs"),
      Action("take-theirs", "Take theirs", warning: "Drop this edit for what the server holds"),
      Action("cancel", "Drop it", warning: "Drop this edit without sending it"),
    ], notices: ["On the server city, credit changed since this edit was made."])
}

extension Stage {
  /// The sync screen with one connection that keeps data offline.
  mutating func showSync(_ states: [String] = ["waiting", "conflict", "draft"]) {
    run("sync")
    for connection in app.world.connections.map(\.name) {
      reply(.capabilities(connection == "field" ? [.offline] : [])) {
        if case .capabilities(connection) = $0 { true } else { false }
      }
    }
    reply(.listing(SyncSamples.listing(states), isFinal: true)) {
      if case .list(SyncSamples.pending, _, _) = $0 { true } else { false }
    }
    reply(.listing(SyncSamples.data, isFinal: true)) {
      if case .list(SyncSamples.data.location, _, _) = $0 { true } else { false }
    }
  }
}

@Suite struct SyncScreenTests {
  static let scenes: [GoldenTests.Scene] =
    GoldenTests.scenes("sync") { $0.showSync() }
    + GoldenTests.scenes("sync-asking") { $0.run("sync") }
    + GoldenTests.scenes("sync-running") {
      $0.showSync(["waiting"])
      $0.app.world.jobs = [
        JobInfo(
          id: 1, title: "Synchronising field", state: .running, done: 1_200, total: 2_500, countsBytes: false,
          synchronizes: "field")
      ]
    }
    + GoldenTests.scenes("sync-nothing") {
      $0.run("sync")
      for _ in $0.app.world.connections { $0.reply(.capabilities([])) }
      for connection in $0.app.world.connections.map(\.name) {
        $0.reply(.capabilities([])) { if case .capabilities(connection) = $0 { true } else { false } }
      }
    }
    + GoldenTests.scenes("sync-actions") {
      $0.showSync()
      $0.press(.character("a"))
    }
    + GoldenTests.scenes("conflict") {
      $0.open(SyncSamples.conflict.location, .item)
      $0.reply(.item(SyncSamples.conflict, isFinal: true))
    }

  @Test(arguments: scenes) func `synchronisation looks as recorded`(_ scene: GoldenTests.Scene) {
    var stage = Stage(scene.size, connections: scene.connections)
    scene.play(&stage)
    expectScreen(stage.app.render(), golden: "\(scene.name)-\(scene.size.columns)x\(scene.size.rows)")
  }

  private func synchronised(_ stage: Stage) -> [String] {
    stage.effects.compactMap { if case .order(.synchronize(let name)) = $0 { name } else { nil } }
  }

  @Test func `s synchronises the chosen connection, and Enter leads to what waits`() {
    var stage = Stage()
    stage.showSync()
    #expect(stage.text.contains("1 conflict"))
    stage.press(.character("s"))
    #expect(synchronised(stage) == ["field"])
    stage.press(.enter)
    #expect(stage.app.top?.crumb.location == SyncSamples.pending)
  }

  @Test func `what waits is asked for anew when a synchronisation has ended`() {
    var stage = Stage()
    stage.showSync(["waiting"])
    stage.press(.character("s"))
    stage.app.world.jobs = [JobInfo(id: 1, title: "", state: .running, synchronizes: "field")]
    stage.press(.character("s"))
    #expect(stage.text.contains("it is under way"))
    let before = stage.asked.count
    stage.app.world.jobs = []
    stage.change(Location(connection: "field"))
    #expect(stage.asked.count == before + 2)
    stage.reply(.listing(SyncSamples.listing([]), isFinal: true)) {
      if case .list(SyncSamples.pending, _, _) = $0 { true } else { false }
    }
    #expect(stage.text.contains("Nothing waits to be sent"))
  }

  @Test func `connections that keep nothing are not asked and not shown`() {
    var stage = Stage()
    stage.showSync()
    let listed = stage.asked.compactMap {
      if case .list(let place, _, _) = $0.request { place.connection } else { nil }
    }
    #expect(Set(listed) == ["field"])
    #expect(!stage.text.contains("Rainbow") && !stage.text.contains("docs"))
  }

  @Test func `a store that cannot be opened says why`() {
    var stage = Stage()
    stage.showSync()
    stage.press(.character("r"))
    stage.reply(.failure(ServiceError(.vaultLocked, "open the offline store", detail: "its PIN is needed"))) {
      if case .list(SyncSamples.pending, _, _) = $0 { true } else { false }
    }
    #expect(stage.text.contains("not read") && stage.text.contains("its PIN is needed"))
  }

  @Test func `a conflict is decided from its screen, and taking theirs asks first`() {
    var stage = Stage(Size(columns: 120, rows: 40))
    stage.open(SyncSamples.conflict.location, .item)
    stage.reply(.item(SyncSamples.conflict, isFinal: true))
    stage.press(.character("a"))
    stage.press(.down, .enter)
    guard case .perform("keep-mine", let place, _)? = stage.asked.last?.request else {
      Issue.record("nothing was done")
      return
    }
    #expect(place == SyncSamples.conflict.location)
    stage.press(.character("a"))
    stage.press(.down, .down, .enter)
    #expect(stage.text.contains("Drop this edit for what the server holds?"))
  }
}

@Suite struct EditComparisonTests {
  @Test func `sides are paired by property, in the order of their first appearance`() throws {
    let comparison = try #require(EditComparison(SyncSamples.conflict))
    #expect(comparison.properties.map(\.title) == ["city", "note", "credit"])
    #expect(comparison.properties.map(\.differs) == [true, true, false])
    #expect(comparison.properties[2].isChanged(comparison.properties[2].theirs))
    #expect(comparison.hasTheirs && comparison.hasBase)
  }

  @Test func `an item without sides, or with one alone, is none`() {
    #expect(EditComparison(Samples.accountItem) == nil)
    let alone = Item(SyncSamples.pending, title: "", sections: [Item.Section("Mine", [Field("mine.a", "a", .null)])])
    #expect(EditComparison(alone) == nil)
  }
}
