import Model
import TestKit
import Testing

@testable import Store

@Suite struct ThemeTests {
  private func read(_ text: String) throws -> ThemeLibrary.Loaded {
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "mine.yaml")
    return try ThemeLibrary(directories: [directory.path]).load("mine")
  }

  @Test func `a theme names looks by colour, palette and attributes`() throws {
    let theme = try read(
      """
      title: Mine
      brightness: light
      palette: { night: "#102030" }
      roles:
        text: night
        title: { color: bright-red, bold: true }
      grounds:
        screen: { background: night }
      """
    ).theme
    #expect(theme.name == "mine")
    #expect(theme.brightness == .light)
    #expect(theme.roles[.text] == Look(foreground: .rgb(16, 32, 48)))
    #expect(theme.roles[.title] == Look(foreground: .terminal(9), bold: true))
    #expect(theme.grounds[.screen] == Look(background: .rgb(16, 32, 48)))
  }

  @Test func `an unknown role is warned of`() throws {
    #expect(try read("roles: { txet: red }").warnings.map(\.message) == ["unknown key “txet”; did you mean “text”?"])
  }

  @Test(arguments: [
    ("roles: { text: purplish }", ":1:16"), ("brightness: dim", ":1:13"), ("- a", ":1:1"), ("roles: [", ":2:1"),
  ]) func `a broken theme says where`(_ text: String, _ place: String) {
    let error = #expect(throws: ServiceError.self) { try read(text) }
    #expect(error?.detail?.contains("mine.yaml:") == true)
    #expect(error?.code == .configuration)
  }

  @Test func `the person's own theme wins, and an unknown one names the others`() throws {
    let (own, shared) = (try TemporaryDirectory(), try TemporaryDirectory())
    try own.write("title: Own", to: "dusk.yaml")
    try shared.write("title: Shared", to: "dusk.yaml")
    try shared.write("title: Dawn", to: "dawn.yaml")
    let library = ThemeLibrary(directories: [own.path, shared.path])
    #expect(library.names == ["dawn", "dusk"])
    #expect(try library.load("dusk").theme.title == "Own")
    let error = #expect(throws: ServiceError.self) { try library.load("dsk") }
    #expect(error?.code == .notFound)
    #expect(error?.remedy?.contains("Did you mean dusk?") == true)
  }
}

/// The themes that come with the program.
@Suite struct ShippedThemeTests {
  static let library: ThemeLibrary = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return ThemeLibrary(directories: ["/\(root)/Themes"])
  }()

  @Test func `there are at least eight, light ones and dark ones`() throws {
    let themes = try Self.library.names.map { try Self.library.load($0).theme }
    #expect(themes.count >= 8)
    #expect(themes.count { $0.brightness == .light } >= 3)
    #expect(themes.count { $0.brightness == .dark } >= 3)
  }

  @Test(arguments: library.names) func `each says how everything looks, and nothing else`(_ name: String) throws {
    let loaded = try Self.library.load(name)
    #expect(loaded.warnings.isEmpty)
    #expect(Set(loaded.theme.roles.keys) == Set(Style.Role.allCases))
    #expect(Set(loaded.theme.grounds.keys) == Set(Style.Ground.allCases))
  }

  @Test(arguments: library.names) func `each role can be read on each ground`(_ name: String) throws {
    for pair in ThemeContrast.pairs(of: try Self.library.load(name).theme) {
      #expect(pair.ratio >= pair.goal, "\(pair.role) on \(pair.ground): \(pair.ratio), wanted \(pair.goal)")
    }
  }

  @Test(arguments: library.names) func `what is selected or focused stands out from the screen`(_ name: String) throws {
    let theme = try Self.library.load(name).theme
    let screen = theme.look(of: Style())
    for ground in [Style.Ground.selection, .buttonFocused, .toast, .errorToast] {
      let look = theme.look(of: Style(.text, on: ground))
      guard let ratio = ThemeContrast.ratio(look.background, screen.background) else {
        #expect(look.isReverse, "\(ground)")
        continue
      }
      #expect(ratio >= 3, "\(ground): \(ratio)")
    }
  }

  @Test(arguments: ["contrast", "beacon"], ColorVision.allCases)
  func `good and bad differ for every kind of colour vision`(_ name: String, _ vision: ColorVision) throws {
    let theme = try Self.library.load(name).theme
    for (one, other) in [(Style.Role.good, Style.Role.bad), (.positive, .negative)] {
      let colors = [one, other].compactMap { theme.look(of: Style($0)).foreground }.compactMap(vision.seen)
      try #require(colors.count == 2)
      #expect(zip(colors[0], colors[1]).map { ($0 - $1) * ($0 - $1) }.reduce(0, +) > 0.05, "\(one) and \(other)")
    }
  }

  @Test(arguments: ["mono", "terminal"]) func `some leave all colours to the terminal`(_ name: String) throws {
    let theme = try Self.library.load(name).theme
    #expect(ThemeContrast.pairs(of: theme).isEmpty)
    guard name == "mono" else { return }
    for look in Array(theme.roles.values) + Array(theme.grounds.values) {
      #expect([nil, .standard].contains(look.foreground) && [nil, .standard].contains(look.background))
    }
  }

  @Test func `contrast is what WCAG says it is`() {
    let ratio = { (a: Color, b: Color) in ThemeContrast.ratio(a, b).map { ($0 * 100).rounded() / 100 } }
    #expect(ratio(.rgb(0, 0, 0), .rgb(255, 255, 255)) == 21)
    #expect(ratio(.rgb(119, 119, 119), .rgb(255, 255, 255)) == 4.48)
    #expect(ratio(.standard, .rgb(0, 0, 0)) == nil)
  }
}

/// How colours look to people without one kind of cones (Machado, Oliveira and Fernandes 2009, severity 1).
enum ColorVision: CaseIterable {
  case usual, protanopia, deuteranopia, tritanopia

  private var matrix: [[Double]] {
    switch self {
    case .usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    case .protanopia:
      [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    case .deuteranopia:
      [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    case .tritanopia:
      [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    }
  }

  /// Red, green and blue from 0 to 1 as they are seen; nil for a terminal's own colour.
  func seen(_ color: Color) -> [Double]? {
    guard case .rgb(let red, let green, let blue) = color else { return nil }
    let values = [red, green, blue].map { Double($0) / 255 }
    return matrix.map { row in zip(row, values).map { $0 * $1 }.reduce(0, +) }
  }
}

@Suite(.bounded) struct ThemeWatchTests {
  @Test func `a theme that is saved is named, whichever way it is saved`() async throws {
    let directory = try TemporaryDirectory()
    let (names, sink) = AsyncStream.makeStream(of: Set<String>.self)
    let watch = try #require(ThemeWatch([directory.path, "/nonexistent"]) { sink.yield($0) })
    var iterator = names.makeAsyncIterator()
    try directory.write("title: One", to: "notes.txt")
    try directory.write("title: One", to: "mine.yaml")
    #expect(await iterator.next() == ["mine.yaml"])
    try Files.replace(directory.file("other.yaml"), with: Array("title: Two".utf8))
    #expect(await iterator.next() == ["other.yaml"])
    withExtendedLifetime(watch) {}
  }

  @Test func `where there is nothing to watch nothing is watched`() {
    #expect(ThemeWatch(["/nonexistent"]) { _ in } == nil)
  }
}
