import Model
import Testing

@testable import Screens

@Suite struct DialogTests {
  private static func answers(_ stage: Stage) -> [Answer?] {
    stage.effects.compactMap { if case .answer(_, let answer) = $0 { .some(answer) } else { nil } }
  }

  @Test func `Enter sends a form that came filled in`() {
    var stage = Stage()
    stage.ask(GoldenTests.login)
    stage.press(.enter)
    #expect(Self.answers(stage) == [.fields(["username": Secret("susan"), "password": Secret("correct horse")])])
    #expect(stage.app.overlays.isEmpty)
  }

  @Test func `Ctrl-U clears a field, and a needed field cannot be sent empty`() {
    var stage = Stage()
    stage.ask(GoldenTests.login)
    stage.press(.control("u"), .enter)
    #expect(Self.answers(stage).isEmpty)
    #expect(stage.text.contains("✗ needed"))
    stage.type("grace")
    stage.press(.enter)
    #expect(Self.answers(stage) == [.fields(["username": Secret("grace"), "password": Secret("correct horse")])])
  }

  @Test func `a secret is never drawn`() {
    var stage = Stage()
    stage.ask(GoldenTests.login)
    stage.press(.tab)
    stage.type(" battery")
    #expect(!stage.text.contains("horse"))
    #expect(!stage.text.contains("battery"))
    #expect(stage.text.contains("•••••"))
  }

  @Test func `Esc and the second button say no`() {
    for keys: [Key] in [[.escape], [.tab, .tab, .tab, .enter], [.tab, .tab, .character("c")]] {
      var stage = Stage()
      stage.ask(GoldenTests.login)
      for key in keys { stage.press(key) }
      #expect(Self.answers(stage) == [nil])
    }
  }

  @Test(arguments: [(true, Answer?.none), (false, .accepted)])
  func `Enter never does what cannot be undone`(_ isDestructive: Bool, _ answer: Answer?) {
    var stage = Stage()
    let question = Question(
      connection: "bank", title: "Sure?", message: "All of it?",
      kind: .confirmation(accept: "Delete", isDestructive: isDestructive))
    stage.ask(question)
    stage.press(.enter)
    #expect(Self.answers(stage) == [answer])
  }

  @Test func `a letter presses its button`() {
    var stage = Stage()
    stage.ask(
      Question(
        connection: "bank", title: "Sure?", message: "", kind: .confirmation(accept: "Delete", isDestructive: true)))
    stage.press(.character("d"))
    #expect(Self.answers(stage) == [.accepted])
  }

  @Test func `a number chooses`() {
    var stage = Stage()
    stage.ask(
      Question(
        connection: "field", title: "Conflict", message: "",
        kind: .choice([FormField.Choice("mine", "Mine"), FormField.Choice("theirs", "Theirs")])))
    stage.press(.character("2"))
    #expect(Self.answers(stage) == [.chosen("theirs")])
  }

  @Test(arguments: [
    (FormField.Kind.integer, "12", true), (.integer, "1.5", false), (.date, "2026-11-30", true),
    (.date, "30.11.", false),
    (.amount(currency: "JPY"), "12.5", true), (.amount(currency: "EUR"), "12,50", false), (.text, "x", true),
    (.text, " ", false),
  ])
  func `a field says what it takes`(_ kind: FormField.Kind, _ text: String, _ isRight: Bool) {
    let input = FormInput(FormField("f", "F", kind, initial: text))
    #expect((input.problem == nil) == isRight)
  }

  @Test func `a choice and a flag go by keys`() {
    var choice = FormInput(
      FormField("k", "Kind", .choice([FormField.Choice("a", "Apple"), FormField.Choice("b", "Pear")])))
    _ = choice.handle(.right)
    #expect(choice.value == "b")
    _ = choice.handle(.right)
    #expect(choice.value == "a")
    _ = choice.handle(.character("p"))
    #expect(choice.value == "b")
    var flag = FormInput(FormField("f", "F", .flag))
    _ = flag.handle(.character(" "))
    #expect(flag.value == "true")
  }
}
