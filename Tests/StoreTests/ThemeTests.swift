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
