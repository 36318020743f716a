import Model
import TestKit
import Testing

@testable import Screens

/// Every screen over a server that puts hostile text into everything it says.
@Suite struct HostileScreensTests {
  struct Scene: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let play: @Sendable (inout Stage, String) -> Void
    init(_ name: String, _ play: @escaping @Sendable (inout Stage, String) -> Void) {
      testDescription = name
      self.play = play
    }
  }

  static let place = Location(connection: "bank", path: ["banks"])

  static func listing(_ evil: String) -> Listing {
    let kinds = Column.Kind.allCases
    let row = Row(
      place.appending(evil),
      kinds.map { kind in
        switch kind {
        case .amount: .money(Money(units: -5, decimals: 2, currency: evil))
        case .decimal: .decimal(evil)
        case .date: .date(evil)
        case .flag: .list([.text(evil), .text(evil)])
        default: .text(evil)
        }
      }, opening: .item, hasContent: true)
    return Listing(
      place, title: evil, columns: kinds.map { Column($0.rawValue, evil, $0, rank: 1) }, rows: [row, row],
      total: .exact(2), notices: [evil],
      facets: [Facet(id: "f", title: evil, buckets: [Facet.Bucket(value: evil, title: evil, count: 1)])],
      suggestions: [evil], actions: [action(evil)])
  }

  static func action(_ evil: String) -> Action {
    Action(
      "act", evil,
      fields: [
        FormField("a", evil, initial: evil, hint: evil),
        FormField("b", evil, .choice([FormField.Choice(evil, evil), FormField.Choice("x", evil)])),
        FormField("c", evil, .amount(currency: evil)),
      ], warning: evil)
  }

  static func item(_ evil: String) -> Item {
    Item(
      place.appending(evil), title: evil,
      sections: [
        Item.Section(
          evil,
          Column.Kind.allCases.map { Field($0.rawValue, evil, .text(evil), $0) }
            + [Field("l", evil, .list([.text(evil), .null])), Field("m", evil, .decimal(evil), .decimal)])
      ],
      related: [Link(evil, place.appending(evil))],
      actions: [action(evil), Action("no", evil, disabled: evil)],
      content: ContentHead(name: evil, mediaType: evil, size: 3, validator: evil),
      raw: RawAnswer(bytes: Array(evil.utf8), mediaType: evil), notices: [evil])
  }

  static func failure(_ evil: String) -> ServiceError {
    ServiceError(.serverFault, "list \(place)", detail: evil, remedy: evil, status: 500, serverCode: evil)
  }

  static func exchange(_ evil: String) -> ExchangeInfo {
    ExchangeInfo(
      id: 1, connection: "bank", started: Samples.now, method: evil, url: "http://x/\(evil)", status: 200,
      failure: nil, version: evil, bytes: 12, phases: [ExchangeInfo.Phase(evil, 1)],
      requestHeaders: [ExchangeInfo.Header(evil, evil)], responseHeaders: [ExchangeInfo.Header(evil, evil)],
      requestBody: Array(evil.utf8), responseBody: Array(evil.utf8), curl: evil)
  }

  static let all: [Scene] = [
    Scene("a listing") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.down)
      stage.wait(milliseconds: 200)
      stage.reply(.item(item(evil), isFinal: true))
    },
    Scene("a filter") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.character("/"))
      stage.type("e")
    },
    Scene("the columns") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.character("c"))
    },
    Scene("the actions of a listing, and a form") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.character("a"))
      stage.press(.enter, .tab, .down)
    },
    Scene("an item") { stage, evil in
      stage.open(place.appending("x"), .item)
      stage.reply(.item(item(evil), isFinal: true))
      stage.press(.down, .down, .down)
    },
    Scene("the actions of an item") { stage, evil in
      stage.open(place.appending("x"), .item)
      stage.reply(.item(item(evil), isFinal: true))
      stage.press(.character("a"))
    },
    Scene("the copy menu") { stage, evil in
      stage.open(place.appending("x"), .item)
      stage.reply(.item(item(evil), isFinal: true))
      stage.press(.character("y"))
    },
    Scene("the answer as received") { stage, evil in
      stage.open(place.appending("x"), .item)
      stage.reply(.item(item(evil), isFinal: true))
      stage.press(.character("i"))
    },
    Scene("the answer as received, as JSON") { stage, evil in
      var item = item(evil)
      let json = "{\"\(jsonText(evil))\":[\"\(jsonText(evil))\",1]}"
      item.raw = RawAnswer(bytes: Array(json.utf8), mediaType: "application/json")
      stage.open(place.appending("x"), .item)
      stage.reply(.item(item, isFinal: true))
      stage.press(.character("i"), .down)
    },
    Scene("a failure") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.failure(failure(evil)))
    },
    Scene("a failure after a cached page") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: false))
      stage.reply(.failure(failure(evil)))
    },
    Scene("a text in the viewer") { stage, evil in
      GoldenTests.view(&stage, evil, "text/plain", Array(evil.utf8))
    },
    Scene("bytes in the viewer") { stage, evil in
      GoldenTests.view(&stage, evil, "application/octet-stream", Array(evil.utf8))
    },
    Scene("a search") { stage, evil in
      stage.open(Samples.files, .listing)
      stage.press(.character("f"))
      stage.type("x")
      stage.press(.enter)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.tab)
    },
    Scene("the exchanges") { stage, evil in
      stage.press(.character("x"))
      stage.reply(.exchanges([exchange(evil)]))
    },
    Scene("an exchange") { stage, evil in
      stage.press(.character("x"))
      stage.reply(.exchanges([exchange(evil)]))
      stage.press(.enter)
      stage.reply(.exchange(exchange(evil)))
    },
    Scene("the transfers") { stage, evil in
      stage.app.world.jobs = [
        JobInfo(id: 1, title: evil, state: .failed(evil), done: 1),
        JobInfo(id: 2, title: evil, state: .done, done: 1, result: evil),
      ]
      stage.press(.character("t"), .down)
    },
    Scene("the command line") { stage, evil in
      stage.open(place, .listing)
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.character(":"))
      stage.reply(.listing(listing(evil), isFinal: true))
      stage.press(.down)
    },
    Scene("the bookmarks") { stage, evil in
      stage.app.world.bookmarks = [place.appending(evil)]
      stage.press(.character("b"))
    },
    Scene("the messages") { stage, evil in
      stage.app.say(Message(.bad, evil), Samples.now)
      stage.press(.character("M"))
    },
    Scene("a question") { stage, evil in
      stage.ask(
        Question(
          connection: "bank", title: evil, message: evil, kind: .form(action(evil).fields, submit: evil),
          attemptsLeft: 2, failure: evil))
    },
    Scene("a choice") { stage, evil in
      stage.ask(
        Question(
          connection: "bank", title: evil, message: evil, kind: .choice([FormField.Choice(evil, evil)]), failure: evil))
    },
    Scene("a page to open") { stage, evil in
      stage.ask(Question(connection: "bank", title: evil, message: evil, kind: .browser(url: "http://x/\(evil)")))
    },
    Scene("a code to type") { stage, evil in
      stage.ask(
        Question(connection: "bank", title: evil, message: evil, kind: .device(code: evil, url: evil, expires: nil)))
    },
    Scene("who is signed in") { stage, evil in
      stage.app.world.connections = [
        ConnectionInfo(name: "bank", kind: .openbank, address: evil, state: .live(user: evil)),
        ConnectionInfo(name: "docs", kind: .alfresco, address: evil, state: .unreachable(evil)),
      ]
      stage.press(.down)
    },
  ]

  /// A text as it may stand between quotation marks.
  private static func jsonText(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
        ? "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16) : String(scalar)
    }.joined()
  }

  @Test(arguments: all) func `hostile text is harmless and aligned`(_ scene: Scene) {
    for size in [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 40, rows: 12)] {
      for evil in HostileText.corpus + [HostileText.everything] {
        var stage = Stage(size)
        scene.play(&stage, evil)
        let faults = HostileCells.faults(in: stage.app.render())
        #expect(faults.isEmpty, "\(size) \(evil.prefix(20).debugDescription): \(faults.prefix(3))")
      }
    }
  }
}
