import Browser
import Model
import Screens
import TestKit
import Testing

@MainActor
@Suite(.bounded)
struct BrowserTests {
  static let banks = Location(connection: "bank")

  static func listing(_ location: Location, _ names: [String], next: String? = nil) -> Listing {
    Listing(
      location, title: "Banks", columns: [Column("name", "Name", rank: 0)],
      rows: names.map { Row(location.appending($0), [.text($0)], opening: .listing) }, next: next)
  }

  @Test func `a person walks from a door to a place and back`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.enter)
      let first = await theatre.port.request(1)
      guard case .list(Self.banks, _, isRefresh: false) = first.request else {
        Issue.record("asked \(first.request)")
        return
      }
      first.reply(.listing(Self.listing(Self.banks, ["rbs", "hsbc"]), isFinal: true))
      await theatre.terminal.screen(showing: "hsbc")
      theatre.terminal.press(.down, .enter)
      let second = await theatre.port.request(2)
      second.reply(.listing(Self.listing(Self.banks.appending("hsbc"), ["accounts"]), isFinal: true))
      await theatre.terminal.screen(showing: "bank:/hsbc")
      theatre.terminal.press(.escape)
      await theatre.terminal.screen(showing: "rbs")
    }
  }

  @Test func `keys that arrive together are drawn once`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.enter)
      let names = (0..<500).map { "row-\($0)" }
      await theatre.port.request(1).reply(.listing(Self.listing(Self.banks, names), isFinal: true))
      await theatre.terminal.screen(showing: "row-0")
      let before = theatre.terminal.frames.count
      for _ in 0..<200 { theatre.terminal.press(.down) }
      await theatre.terminal.screen(showing: "row-200")
      #expect(theatre.terminal.frames.count - before < 20)
    }
  }

  @Test func `a screen that something else wrote on is drawn again although nothing changed`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.send(.resumed)
      theatre.terminal.press(.down)
      await theatre.terminal.screen { $0.lines.contains { $0.hasPrefix("▌ docs") } }
      theatre.terminal.press(.control("l"), .up)
      await theatre.terminal.screen { $0.lines.contains { $0.hasPrefix("▌ bank") } }
      #expect(theatre.terminal.repaints == 2)
      let before = theatre.terminal.frames.count
      theatre.terminal.send(.resumed)
      await theatre.terminal.screen { _ in theatre.terminal.frames.count > before }
      #expect(theatre.terminal.frames.last == theatre.terminal.frames[before - 1])
    }
  }

  @Test func `nothing is drawn when nothing changed`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      let before = theatre.terminal.frames.count
      theatre.terminal.press(.up, .up)
      theatre.terminal.send(.focus(true))
      theatre.terminal.press(.down)
      await theatre.terminal.screen { $0.lines.contains { $0.hasPrefix("▌ docs") } }
      #expect(theatre.terminal.frames.count == before + 1)
    }
  }

  @Test func `a question becomes a dialog and its answer goes back`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.port.question = (
        7,
        Question(
          connection: "bank", title: "Sign in to bank", message: "Who are you?",
          kind: .form([FormField("user", "User"), FormField("password", "Password", .secret)], submit: "Sign in"))
      )
      await theatre.terminal.screen(showing: "Sign in to bank")
      theatre.terminal.type("susan")
      theatre.terminal.press(.tab)
      theatre.terminal.type("geheim")
      await theatre.terminal.screen(showing: "••••••")
      #expect(!theatre.terminal.frames.contains { $0.lines.contains { $0.contains("geheim") } })
      theatre.terminal.press(.enter)
      await theatre.terminal.screen(without: "Sign in to bank")
      #expect(theatre.port.answers.map(\.question) == [7])
      #expect(theatre.port.answers.first?.answer == .fields(["user": Secret("susan"), "password": Secret("geheim")]))
    }
  }

  @Test func `a question that is withdrawn takes its dialog away`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.port.question = (
        1,
        Question(
          connection: "bank", title: "Your browser", message: "Sign in there.",
          kind: .browser(url: "https://idp.example"))
      )
      await theatre.terminal.screen(showing: "https://idp.example")
      theatre.port.question = nil
      await theatre.terminal.screen(without: "https://idp.example")
      #expect(theatre.port.answers.isEmpty)
    }
  }

  @Test func `Esc in a sign-in says no`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.port.question = (
        3,
        Question(
          connection: "bank", title: "Go on?", message: "It will be gone.",
          kind: .confirmation(accept: "Delete", isDestructive: true))
      )
      await theatre.terminal.screen(showing: "Go on?")
      theatre.terminal.press(.enter)
      await theatre.terminal.screen(without: "Go on?")
      #expect(theatre.port.answers.map(\.question) == [3])
      #expect(theatre.port.answers.first?.answer == nil)
    }
  }

  @Test func `leaving a screen cancels what it waits for`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.enter)
      let request = await theatre.port.request(1)
      theatre.terminal.press(.escape)
      await theatre.terminal.screen(showing: "Choose a door")
      #expect(request.isCancelled)
      // The answer comes all the same and changes nothing.
      request.reply(.listing(Self.listing(Self.banks, ["late"]), isFinal: true))
      theatre.terminal.press(.down)
      let screen = await theatre.terminal.screen { $0.lines.contains { $0.hasPrefix("▌ docs") } }
      #expect(!screen.lines.contains { $0.contains("late") })
    }
  }

  @Test func `the colour of a connection becomes the accent while it is in view`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      #expect(theatre.terminal.themes.last?.roles[.accent]?.foreground == .rgb(0xCC, 0x33, 0x33))
      theatre.terminal.press(.down)
      await theatre.terminal.screen { $0.lines.contains { $0.hasPrefix("▌ docs") } }
      #expect(theatre.terminal.themes.last?.roles[.accent]?.foreground == nil)
    }
  }

  @Test func `a toast goes away by itself and takes no key`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.function(2))
      await theatre.terminal.screen(showing: "Mouse off")
      #expect(!theatre.terminal.hasMouse)
      theatre.clock.advance(milliseconds: 5000)
      await theatre.terminal.screen(without: "Mouse off")
    }
  }

  @Test func `the end of a transfer is told wherever one is`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.port.jobs = [JobInfo(id: 1, title: "report.pdf", state: .running, done: 1, total: 10)]
      await theatre.terminal.screen(showing: "1 job")
      theatre.port.jobs = [
        JobInfo(id: 1, title: "report.pdf", state: .done, done: 10, result: "/home/susan/report.pdf")
      ]
      await theatre.terminal.screen(showing: "report.pdf is done: /home/susan/report.pdf")
    }
  }

  @Test func `quitting with transfers asks first`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.port.jobs = [JobInfo(id: 1, title: "report.pdf", state: .running)]
      await theatre.terminal.screen(showing: "1 job")
      theatre.terminal.press(.character("q"))
      await theatre.terminal.screen(showing: "1 transfer would be stopped")
      theatre.terminal.press(.enter)
      await theatre.terminal.screen(without: "would be stopped")
    }
  }

  @Test func `the welcome opens the sandbox`() async throws {
    let theatre = Theatre(connections: [])
    try await theatre.play {
      await theatre.terminal.screen(showing: "Welcome to Atrium")
      theatre.terminal.press(.enter)
      await theatre.terminal.screen(showing: "Open Bank Project")
    }
  }

  @Test func `copying goes through the terminal`() async throws {
    let theatre = Theatre()
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.character("y"))
      await theatre.terminal.screen(showing: "Copy")
      theatre.terminal.press(.enter)
      await theatre.terminal.screen(showing: "sent to the terminal's clipboard")
      #expect(theatre.terminal.copied == ["bank:/"])
    }
  }

  @Test func `Ctrl-C twice leaves and the loop ends`() async {
    let theatre = Theatre()
    async let status = theatre.browser.run()
    await theatre.terminal.screen(showing: "Choose a door")
    theatre.terminal.press(.control("c"), .control("c"))
    #expect(await status == 0)
    theatre.clock.finish()
  }
}
