import Model
import Testing

@testable import Screens

@Suite struct ConnectionGuideTests {
  private static func changes(_ stage: Stage) -> [ConnectionChange] {
    stage.effects.compactMap { if case .changeConnection(let change) = $0 { change } else { nil } }
  }

  static let found = [
    ProbeInfo(
      kind: .openbank, url: "https://new.example/obp/v5.1.0", methods: ["direct", "oauth1"], detail: "API v5.1.0"),
    ProbeInfo(kind: .alfresco, url: "https://new.example/alfresco", methods: ["basic", "pkce"], detail: "AlfTicket"),
  ]

  static func guide(_ stage: inout Stage) {
    stage.press(.character("+"))
    stage.type("new.example")
    stage.press(.enter)
  }

  @Test func `an address is looked at, a kind chosen, and the rest asked for`() {
    var stage = Stage()
    Self.guide(&stage)
    guard case .probe("new.example") = stage.asked.last?.request else {
      Issue.record("it was not looked at")
      return
    }
    stage.reply(.probed(Self.found))
    #expect(stage.text.contains("API v5.1.0"))
    stage.press(.enter)
    #expect(stage.text.contains("bank2") && stage.text.contains("https://new.example/obp/v5.1.0"))
    stage.press(.tab, .tab, .right, .tab, .tab)
    stage.type("ada")
    stage.press(.tab, .right, .tab, .character(" "), .enter)
    guard case .add(let fields) = Self.changes(stage).first else {
      Issue.record("nothing was added")
      return
    }
    let plain = fields.mapValues { $0.reveal() }
    #expect(
      plain == [
        "name": "bank2", "kind": "openbank", "url": "https://new.example/obp/v5.1.0", "auth.method": "oauth1",
        "auth.consumerKey": "", "auth.user": "ada", "color": "#cc3333", "readOnly": "true",
      ])
  }

  @Test func `what fails is explained, and there is a way on`() {
    var stage = Stage(Size(columns: 80, rows: 30))
    Self.guide(&stage)
    stage.reply(.failure(ServiceError(.unreachable, "look at new.example", detail: "no such host")))
    #expect(stage.text.contains("✗ The server could not be reached"))
    stage.press(.character("3"), .character("5"))
    #expect(stage.text.contains("Add SAP Mobile Platform") && stage.text.contains("Application"))
  }

  @Test func `a connection is edited and removed, the latter only after a question`() {
    var stage = Stage(Size(columns: 80, rows: 30))
    stage.press(.character("a"), .character("4"))
    #expect(stage.text.contains("https://bank.example/obp/v5.1.0"))
    stage.press(.tab, .right, .enter)
    guard case .edit("bank", let fields) = Self.changes(stage).first else {
      Issue.record("nothing was changed")
      return
    }
    #expect(fields["color"]?.reveal() == "#cc3333")
    stage.press(.character("a"), .character("6"), .enter)
    #expect(Self.changes(stage).count == 1)
    stage.press(.character("a"), .character("6"), .left, .enter)
    guard case .remove("bank") = Self.changes(stage).last else {
      Issue.record("nothing was removed")
      return
    }
  }
}
