import Model
import Testing

@testable import Terminal

@Suite struct BackgroundQueryTests {
  private func reply(_ pieces: String...) -> BackgroundQuery.Reply {
    var reply = BackgroundQuery.Reply()
    for piece in pieces { reply.read(Array(piece.utf8)) }
    return reply
  }

  @Test(arguments: [
    ("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", Theme.Brightness.light), ("\u{1B}]11;rgb:1e1e/1e1e/2e2e\u{7}", .dark),
    ("\u{1B}]11;rgb:f/f/e\u{7}", .light), ("\u{1B}]11;rgb:00/80/00\u{1B}\\", .dark),
  ]) func `a colour is light or dark`(_ text: String, _ brightness: Theme.Brightness) {
    #expect(reply(text).brightness == brightness)
  }

  @Test func `the answer to the second question ends the wait, however it is cut`() {
    let whole = reply("\u{1B}]11;rgb:ff", "ff/ffff/ffff\u{1B}", "\\\u{1B}", "[?62;4c")
    #expect(whole.brightness == .light)
    #expect(whole.isComplete)
    #expect(whole.showsSixel)
    #expect(!reply("\u{1B}[?64;14c").showsSixel)
    #expect(whole.typed.isEmpty)
    #expect(reply("\u{1B}[?6c").brightness == nil)
    #expect(reply("\u{1B}[?6c").isComplete)
  }

  @Test func `what a person types meanwhile is kept in order`() {
    let reply = reply(":ba", "\u{1B}]11;rgb:0/0/0\u{7}nk", "\u{1B}[A\u{1B}[?1;2c\r")
    #expect(String(decoding: reply.typed, as: UTF8.self) == ":bank\u{1B}[A\r")
    #expect(reply.brightness == .dark)
    #expect(reply.isComplete)
  }

  @Test(arguments: [("15;0", Theme.Brightness.dark), ("0;15", .light), ("0;default;7", .light), ("12;8", .dark)])
  func `the variable says it without a question`(_ text: String, _ brightness: Theme.Brightness) {
    #expect(BackgroundQuery.brightness(ofVariable: text) == brightness)
    #expect(BackgroundQuery.ask(["COLORFGBG": text]).brightness == brightness)
  }

  @Test func `a variable that says nothing counts for nothing`() {
    #expect(BackgroundQuery.brightness(ofVariable: "0;default") == nil)
    #expect(BackgroundQuery.brightness(ofVariable: "") == nil)
  }
}
