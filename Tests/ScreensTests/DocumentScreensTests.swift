import Model
import Testing

@testable import Screens

/// What people who file documents do: search, compare, look, mark many, take back.
@Suite struct DocumentScreensTests {
  private static let place = Location(connection: "docs", path: ["search"], query: [("q", "quay")])

  private static func results(_ names: [String], suggestions: [String] = [], notices: [String] = []) -> Listing {
    Listing(
      place, title: "quay",
      columns: [Column("name", "Name", rank: 0), Column("snippet", "Found", rank: 2)],
      rows: names.map { name in
        Row(
          Location(connection: "docs", path: ["nodes", name]), [.text(name), .text("the quay of \(name)")],
          hasContent: true)
      }, notices: notices, suggestions: suggestions)
  }

  private func searching(_ text: String) -> Stage {
    var stage = Stage()
    stage.open(Samples.files, .listing)
    stage.press(.character("f"))
    stage.type(text)
    return stage
  }

  private func searches(_ stage: Stage) -> [SearchRequest] {
    stage.asked.compactMap { if case .search(_, let request) = $0.request { request } else { nil } }
  }

  // MARK: Search

  @Test func `a search begins when typing rests, and a newer one ends it`() {
    var stage = searching("qu")
    #expect(searches(stage).isEmpty)
    stage.wait(milliseconds: 299)
    #expect(searches(stage).isEmpty)
    stage.wait(milliseconds: 1)
    #expect(searches(stage).map(\.text) == ["qu"])
    let first = stage.asked.last?.id
    stage.type("ay")
    stage.wait(milliseconds: 300)
    #expect(searches(stage).map(\.text) == ["qu", "quay"])
    #expect(stage.effects.contains { if case .cancel(let id) = $0 { id == first } else { false } })
    // The words keep the cursor while results come, so that typing goes on.
    stage.reply(.listing(Self.results(["a"]), isFinal: true))
    #expect(stage.app.top?.takesText == true)
    stage.press(.enter)
    #expect(stage.app.top?.takesText == false)
    #expect(searches(stage).count == 2)
  }

  @Test func `a snippet is lit where the server found something, over all its lines`() {
    var stage = searching("port")
    var listing = Self.results(["a"])
    let snippet = String(repeating: "quay wall ", count: 7) + "and a long harbour dam at its end"
    listing.rows[0] = Row(listing.rows[0].location, [.text("a"), .text(snippet)], hasContent: true)
    listing.matches = [listing.rows[0].location: [5..<9, 76..<91]]
    stage.wait(milliseconds: 300)
    stage.reply(.listing(listing, isFinal: true))
    #expect(lit(stage) == ["wall", "long harbour da"])
  }

  @Test func `a snippet without marks is lit at the words that were typed`() {
    var stage = searching("quay")
    stage.wait(milliseconds: 300)
    stage.reply(.listing(Self.results(["a"]), isFinal: true))
    #expect(lit(stage) == ["quay"])
    stage.app.world.isPrivate = true
    #expect(lit(stage) == [])
  }

  /// What stands in the colour of a match, run by run.
  private func lit(_ stage: Stage) -> [String] {
    let buffer = stage.buffer
    return (0..<buffer.size.rows).flatMap { row in
      (0..<buffer.size.columns).map { buffer[$0, row] }
        .split { $0.style.role != .match }.map { $0.map(\.text).joined() }
    }
  }

  @Test func `a single letter is not searched while one types`() {
    var stage = searching("q")
    stage.wait(milliseconds: 1000)
    #expect(searches(stage).isEmpty)
  }

  @Test func `a suggested spelling is taken by a key, from the words and from the results`() {
    for key in [Key.enter, .control("t")] {
      var stage = searching("quey")
      stage.press(.enter)
      stage.reply(.listing(Self.results(["a"], suggestions: ["quay"]), isFinal: true))
      #expect(stage.text.contains("Did you mean quay?"))
      if key == .enter { stage.press(.control("t")) } else { stage.press(.character("/"), key) }
      #expect(searches(stage).last?.text == "quay")
    }
  }

  @Test func `what the server says of its results stands above them`() {
    var stage = searching("quay")
    stage.press(.enter)
    stage.reply(.listing(Self.results(["a"], notices: ["The index is catching up"]), isFinal: true))
    #expect(stage.text.contains("The index is catching up"))
  }

  @Test func `a search is kept in the history, and comes back by the arrow`() {
    var stage = searching("quay")
    stage.press(.enter)
    stage.reply(.listing(Self.results(["a"]), isFinal: true))
    #expect(stage.app.world.memory.searches == [Self.place])
    #expect(
      stage.effects.contains { if case .saveMemory(let memory) = $0 { memory.searches == [Self.place] } else { false } }
    )
    stage.press(.escape, .character("f"), .up)
    #expect(stage.text.contains("quay"))
  }

  @Test func `a search that was made can be bookmarked and opened again`() {
    var stage = searching("quay")
    stage.press(.enter)
    stage.reply(.listing(Self.results(["a"]), isFinal: true))
    stage.press(.character("B"))
    #expect(stage.app.world.bookmarks == [Self.place])
    stage.press(.escape, .character("b"), .enter)
    #expect(stage.app.top is SearchScreen)
    #expect(searches(stage).last?.text == "quay")
  }

  // MARK: Many, and back again

  private func marked() -> Stage {
    var stage = Stage()
    stage.open(Samples.files, .listing)
    let rows = ["a", "b", "c"].map { Row(Samples.files.appending($0), [.text($0)], hasContent: true) }
    stage.reply(
      .listing(
        Listing(Samples.files, title: "Shared", columns: [Column("name", "Name", rank: 0)], rows: rows), isFinal: true))
    stage.press(.character(" "), .character(" "))
    return stage
  }

  @Test func `an action works on all that are marked`() {
    var stage = marked()
    stage.press(.character("a"))
    let actions = [Action("rename", "Rename", fields: [FormField("name", "Name")]), Action("favorite", "Mark")]
    stage.reply(
      .item(Item(Samples.files.appending("a"), title: "a", sections: [], actions: actions), isFinal: true))
    #expect(stage.text.contains("Actions for 2 things"))
    // A name of its own fits one thing only.
    #expect(!stage.text.contains("Rename"))
    stage.press(.enter)
    guard case .performAll("favorite", let places, _)? = stage.asked.last?.request else {
      Issue.record("\(String(describing: stage.asked.last))")
      return
    }
    #expect(places == ["a", "b"].map { Samples.files.appending($0) })
  }

  @Test func `what was done is taken back by a key`() {
    var stage = marked()
    let undo = Undo("restore", at: Location(connection: "docs", path: ["trash", "a"]))
    stage.press(.delete, .character("d"))
    stage.reply(.outcome(ActionOutcome("Moved “a” to the trash.", undo: [undo])))
    #expect(stage.text.contains("U takes it back"))
    stage.press(.character("U"))
    guard case .undo([undo])? = stage.asked.last?.request else {
      Issue.record("\(String(describing: stage.asked.last))")
      return
    }
    stage.press(.character("U"))
    #expect(stage.text.contains("nothing to take back"))
  }

  // MARK: Looking and comparing

  @Test func `two marked texts are compared side by side`() {
    var stage = marked()
    stage.press(.character("="))
    let requests = stage.asked.suffix(2)
    let head = ContentHead(name: "x", mediaType: "text/plain")
    for (request, text) in zip(requests, ["one\ntwo\nthree\n", "one\n2\nthree\n"]) {
      _ = stage.app.take(.content(head, Array(text.utf8), isCut: false), for: request.id, stage.now)
    }
    #expect(stage.text.contains("- two"))
    #expect(stage.text.contains("+ 2"))
    #expect(stage.text.contains("change 0 of 1"))
    stage.press(.character("n"))
    #expect(stage.text.contains("change 1 of 1"))
  }

  private func viewing(_ mediaType: String, _ bytes: [UInt8], canvas: Graphic.Canvas? = nil) -> Stage {
    var stage = Stage()
    stage.app.world.canvas = canvas
    stage.open(Samples.files.appending("a"), .item)
    let head = ContentHead(name: "a", mediaType: mediaType)
    stage.reply(
      .item(Item(Samples.files.appending("a"), title: "a", sections: [], content: head), isFinal: true))
    stage.press(.character("v"))
    stage.reply(.content(head, bytes, isCut: false))
    return stage
  }

  @Test func `a PDF is shown by its words, and as bytes by another key`() {
    var stage = viewing("application/pdf", Array("%PDF-1.4".utf8))
    guard case .convert(_, .pdfText)? = stage.asked.last?.request else {
      Issue.record("nothing was converted")
      return
    }
    stage.reply(.converted("Facility agreement\nQuay 7"))
    #expect(stage.text.contains("Facility agreement"))
    stage.press(.character("v"))
    #expect(stage.text.contains("%PDF-1.4"))
  }

  private func ordered(_ stage: Stage) -> [Conversion] {
    stage.asked.compactMap { if case .convert(_, let order) = $0.request { order } else { nil } }
  }

  @Test func `a picture is drawn for the room there is, anew when that changes`() {
    var stage = viewing("image/png", [0x89, 0x50])
    #expect(ordered(stage) == [.picture(Size(columns: 78, rows: 21), .blocks(colors: 256))])
    stage.reply(.converted("\u{1B}[38;2;200;10;10m▀▄\u{1B}[0m█"))
    #expect(stage.text.contains("▀▄█"))
    #expect(stage.buffer[1, 2].style.paint == Style.Paint(foreground: .rgb(200, 10, 10)))
    #expect(stage.buffer[3, 2].style.paint == nil)
    stage.resize(Size(columns: 60, rows: 20))
    #expect(ordered(stage).last == .picture(Size(columns: 58, rows: 17), .blocks(colors: 256)))
  }

  @Test func `a terminal with graphics of its own paints the picture itself, unless something lies over it`() {
    var stage = viewing("image/png", [0x89, 0x50], canvas: Graphic.Canvas(.kitty, cell: Size(columns: 10, rows: 20)))
    #expect(
      ordered(stage) == [
        .picture(
          Size(columns: 78, rows: 21), .graphics(Graphic.Canvas(.kitty, cell: Size(columns: 10, rows: 20))))
      ])
    stage.reply(.converted("\u{1B}_Ga=T\u{1B}\\"))
    let picture = stage.buffer.uncoveredPicture
    #expect(picture?.sequence == "\u{1B}_Ga=T\u{1B}\\")
    #expect(picture?.area == Area(column: 1, row: 2, columns: 78, rows: 21))
    stage.press(.character("?"))
    #expect(stage.buffer.uncoveredPicture == nil)
    stage.press(.escape)
    #expect(stage.buffer.uncoveredPicture == picture)
    stage.press(.character("v"))
    #expect(stage.buffer.picture == nil)
  }

  @Test func `without the program for it there is a hint, and the bytes`() {
    var stage = viewing("image/png", [0x89, 0x50])
    stage.reply(
      .failure(
        ServiceError(.notOffered, "show the picture", detail: "there is no chafa here", remedy: "Install chafa.")))
    #expect(stage.text.contains("no chafa here"))
    #expect(stage.text.contains("Install chafa"))
    stage.press(.character("v"), .character("v"))
    #expect(stage.text.contains("89 50"))
  }

  @Test func `a form that can be looked at stands for one that cannot`() {
    var stage = Stage()
    let letter = Samples.files.appending("letter.docx")
    stage.open(letter, .item)
    let pdf = letter.facet("renditions").appending("pdf")
    stage.reply(
      .item(
        Item(
          letter, title: "letter", sections: [], content: ContentHead(name: "letter.docx", mediaType: "application/x"),
          preview: pdf), isFinal: true))
    stage.press(.character("v"))
    guard case .content(pdf, _)? = stage.asked.last?.request else {
      Issue.record("\(String(describing: stage.asked.last))")
      return
    }
  }
}

@Suite struct LineDiffTests {
  struct Case: CustomTestStringConvertible {
    let old: String
    let new: String
    let rows: String
    init(_ old: String, _ new: String, _ rows: String) {
      (self.old, self.new, self.rows) = (old, new, rows)
    }
    var testDescription: String { "\(old) to \(new)" }
  }

  @Test(arguments: [
    Case("", "", ""), Case("abc", "abc", " a  b  c"), Case("abc", "", "-a -b -c"), Case("", "ab", "+a +b"),
    Case("abc", "axc", " a -b+x  c"), Case("abc", "ac", " a -b  c"), Case("ac", "abc", " a +b  c"),
    Case("abcd", "bcde", "-a  b  c  d +e"), Case("abcabba", "cbabac", "-a -b  c +b  a  b -b  a +c"),
  ]) func `the shortest edit is found`(_ c: Case) {
    let (old, new) = (c.old.map(String.init), c.new.map(String.init))
    let diff = LineDiff(old, new)
    let rows = diff.rows.map { row -> String in
      switch row {
      case .same(let at, let other):
        #expect(old[at] == new[other])
        return " \(old[at]) "
      case .changed(let went, let came): return (went.map { "-\(old[$0])" } ?? "") + (came.map { "+\(new[$0])" } ?? "")
      }
    }
    #expect(rows.joined().filter { $0 != " " }.count == c.rows.filter { $0 != " " }.count)
    // Both texts come back whole from the rows.
    let left = diff.rows.compactMap {
      if case .same(let at, _) = $0 { at } else if case .changed(let at, _) = $0 { at } else { nil }
    }
    let right = diff.rows.compactMap {
      if case .same(_, let at) = $0 { at } else if case .changed(_, let at) = $0 { at } else { nil }
    }
    #expect(left == Array(old.indices))
    #expect(right == Array(new.indices))
  }

  @Test func `texts without anything in common are one change`() {
    let old = (0..<3000).map { "old \($0)" }
    let new = (0..<3000).map { "new \($0)" }
    let diff = LineDiff(old, new)
    #expect(diff.changes == [0])
    #expect(diff.rows.count == 3000)
  }
}
