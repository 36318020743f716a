import Glibc
import Model
import Screens
import TestKit
import Testing

@testable import Browser

/// A file on its way through `$EDITOR`, and content on its way through another program.
@MainActor
@Suite(.bounded)
struct EditingTests {
  private static let file = Location(connection: "docs", path: ["files", "a.txt"])
  private static let head = ContentHead(name: "a.txt", mediaType: "text/plain", validator: "\"1\"")

  private func theatre(_ play: (Theatre) async throws -> Void) async throws {
    let theatre = Theatre(connections: [
      ConnectionInfo(
        name: "docs", kind: .alfresco, state: .live(user: "susan"),
        capabilities: [.search, .download, .upload, .delete])
    ])
    try await theatre.play {
      await theatre.terminal.screen(showing: "Choose a door")
      theatre.terminal.press(.enter)
      let listing = Listing(
        Location(connection: "docs"), title: "Files", columns: [Column("name", "Name", rank: 0)],
        rows: [Row(Self.file, [.text("a.txt")], hasContent: true)])
      await theatre.port.request(1).reply(.listing(listing, isFinal: true))
      await theatre.terminal.screen(showing: "a.txt")
      theatre.terminal.press(.character("E"))
      try await play(theatre)
    }
  }

  /// The next request of a kind; others, such as a preview's, are left unanswered.
  private func request(_ theatre: Theatre, from first: Int, _ fits: (Request) -> Bool) async -> StubPort.Pending {
    var number = first
    while true {
      let asked = await theatre.port.request(number)
      if fits(asked.request) { return asked }
      number += 1
    }
  }

  @Test func `what was written goes back as a version of what was fetched`() async throws {
    try await theatre { theatre in
      theatre.programs.written = Array("changed".utf8)
      let out = await request(theatre, from: 2) { if case .checkOut = $0 { true } else { false } }
      out.reply(.content(Self.head, Array("before".utf8), isCut: false))
      let back = await request(theatre, from: 3) { if case .checkIn = $0 { true } else { false } }
      guard case .checkIn(Self.file, let bytes, before: Self.head) = back.request else {
        Issue.record("\(back.request)")
        return
      }
      #expect(bytes == Array("changed".utf8))
      back.reply(.outcome(ActionOutcome("Stored “a.txt” as a new version.")))
      await theatre.terminal.screen(showing: "Stored “a.txt”")
      #expect(theatre.programs.content(of: "/tmp/a.txt") == nil)
    }
  }

  @Test func `what was not changed is only let go`() async throws {
    try await theatre { theatre in
      let out = await request(theatre, from: 2) { if case .checkOut = $0 { true } else { false } }
      out.reply(.content(Self.head, Array("before".utf8), isCut: false))
      let back = await request(theatre, from: 3) { if case .checkIn = $0 { true } else { false } }
      guard case .checkIn(_, bytes: nil, _) = back.request else {
        Issue.record("\(back.request)")
        return
      }
    }
  }

  @Test func `what could not be stored stays where it was written`() async throws {
    try await theatre { theatre in
      theatre.programs.written = Array("changed".utf8)
      let out = await request(theatre, from: 2) { if case .checkOut = $0 { true } else { false } }
      out.reply(.content(Self.head, Array("before".utf8), isCut: false))
      let back = await request(theatre, from: 3) { if case .checkIn = $0 { true } else { false } }
      back.reply(.failure(ServiceError(.conflict, "upload", detail: "it is another version now")))
      await theatre.terminal.screen(showing: "What you wrote is in")
      #expect(theatre.programs.content(of: "/tmp/a.txt") == Array("changed".utf8))
    }
  }

  @Test func `a program that is not there is named, with what to install`() async throws {
    let converter = Converter(environment: ["PATH": "/nonexistent"])
    let error = await #expect(throws: ServiceError.self) {
      try await converter.convert([1, 2, 3], .picture(Size(columns: 10, rows: 5), .blocks(colors: 0)))
    }
    #expect(error?.code == .notOffered)
    #expect(error?.message.contains("chafa") == true)
  }

  @Test func `what a program writes comes back, and its failure is told`() async throws {
    let directory = try TemporaryDirectory()
    let script = "#!/bin/sh\nprintf '%s ' \"$1\" \"$2\" \"$3\"; cat \"$4\"\n"
    try directory.write(script, to: "pdftotext")
    chmod(directory.file("pdftotext"), 0o755)
    let converter = Converter(environment: ["PATH": "\(directory.path):/usr/bin:/bin"])
    #expect(try await converter.convert(Array("words".utf8), .pdfText) == "-layout -enc UTF-8 words")
    try directory.write("#!/bin/sh\nexit 3\n", to: "pdftotext")
    let error = await #expect(throws: ServiceError.self) { try await converter.convert([1], .pdfText) }
    #expect(error?.detail?.contains("status 3") == true)
  }

  /// A converter whose `chafa` writes this, and its arguments to a file.
  private func converter(writing output: String, in directory: TemporaryDirectory) throws -> Converter {
    try directory.write(output, to: "output")
    try directory.write(
      "#!/bin/sh\necho \"$*\" >\"${0%/*}/arguments\"; cat \"${0%/*}/output\"\n", to: "chafa")
    chmod(directory.file("chafa"), 0o755)
    return Converter(environment: ["PATH": "\(directory.path):/usr/bin:/bin"])
  }

  private static let cell = Size(columns: 10, rows: 20)
  private static let room = Size(columns: 20, rows: 8)

  @Test(arguments: [(0, "none"), (8, "8"), (16, "16"), (256, "240"), (1 << 24, "full")])
  func `block characters have as many colours as the terminal`(_ colors: Int, _ mode: String) async throws {
    let directory = try TemporaryDirectory()
    let converter = try converter(writing: "\u{1B}[31m▀\u{1B}[0m", in: directory)
    let text = try await converter.convert([1], .picture(Self.room, .blocks(colors: colors)))
    #expect(text == "\u{1B}[31m▀\u{1B}[0m")
    let arguments = try #require(directory.text("arguments"))
    #expect(arguments.contains("--colors \(mode) ") && arguments.contains("--size 20x8 "))
  }

  @Test func `a picture for kitty is told its cells, keeps the cursor and asks for no answer`() async throws {
    let directory = try TemporaryDirectory()
    let written = "\u{1B}_Ga=T,f=32,s=200,v=100,c=25,r=13,m=1\u{1B}\\\u{1B}_Gm=1;AAAA\u{1B}\\\u{1B}_Gm=0\u{1B}\\\n"
    let converter = try converter(writing: written, in: directory)
    let text = try await converter.convert([1], .picture(Self.room, .graphics(Graphic.Canvas(.kitty, cell: Self.cell))))
    #expect(
      text
        == "\u{1B}_Ga=T,f=32,s=200,v=100,c=20,r=5,C=1,q=2,m=1\u{1B}\\\u{1B}_Gm=1;AAAA\u{1B}\\\u{1B}_Gm=0\u{1B}\\")
    let arguments = try #require(directory.text("arguments"))
    #expect(arguments.hasPrefix("--format kitty ") && arguments.contains("--size 25x20 "))
  }

  @Test func `a sixel picture is taken as it is`() async throws {
    let directory = try TemporaryDirectory()
    let written = "\u{1B}P0;1;0q\"1;1;200;160#0;2;0;0;99~\u{1B}\\"
    let converter = try converter(writing: "\u{1B}[?25l\(written)\n\u{1B}[?25h", in: directory)
    let order = Conversion.picture(Self.room, .graphics(Graphic.Canvas(.sixel, cell: Self.cell)))
    #expect(try await converter.convert([1], order) == written)
  }

  @Test(arguments: [
    (Graphic.Canvas.Form.sixel, "words"), (.sixel, "\u{1B}P0;1;0q\"1;1;201;160#0~\u{1B}\\"),
    (.sixel, "\u{1B}P$q\"1;1;9;9\u{1B}\\"), (.sixel, "\u{1B}P0q\"1;1;9;9#0\u{1B}[2J~\u{1B}\\"),
    (.sixel, "\u{1B}Pq\"1;1;9\u{1B}\\"), (.kitty, "\u{1B}_Ga=T,f=32,s=9,v=9;AA\u{7}\u{1B}\\"),
    (.kitty, "\u{1B}_Ga=T,f=100,t=f,s=9,v=9;L2V0Yw==\u{1B}\\"), (.kitty, "\u{1B}_Ga=T,f=32,s=9;AA\u{1B}\\"),
    (.kitty, "\u{1B}_Ga=T,f=32,s=9,v=9;AA\u{1B}\\\u{1B}_Ga=q,i=1;\u{1B}\\"), (.kitty, "\u{1B}_G\u{1B}\\"),
    (.kitty, "\u{1B}_Ga=T,f=32,s=999,v=9;AA\u{1B}\\"),
  ]) func `anything but one picture stays away from the terminal`(
    _ form: Graphic.Canvas.Form, _ written: String
  ) async throws {
    let directory = try TemporaryDirectory()
    let converter = try converter(writing: written, in: directory)
    let error = await #expect(throws: ServiceError.self) {
      try await converter.convert([1], .picture(Self.room, .graphics(Graphic.Canvas(form, cell: Self.cell))))
    }
    #expect(error?.message.contains("pictures: blocks") == true)
  }
}
