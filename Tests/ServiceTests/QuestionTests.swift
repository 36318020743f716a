import Model
import TestKit
import Testing

@testable import Service

@Suite(.bounded) @MainActor struct QuestionTests {
  private func question(_ title: String) -> Question {
    Question(connection: "bank", title: title, message: "", kind: .confirmation(accept: "Yes", isDestructive: false))
  }

  private func asked(_ title: String, _ queue: QuestionQueue, becomes count: Int) async -> Task<Answer, any Error> {
    let question = question(title)
    let task = Task { try await queue.ask(question) }
    while queue.count < count { await Task.yield() }
    return task
  }

  @Test func `questions come one at a time and each gets its own answer`() async throws {
    let queue = QuestionQueue()
    let first = await asked("First", queue, becomes: 1)
    let second = await asked("Second", queue, becomes: 2)
    let pending = try #require(queue.current)
    #expect(pending.question.title == "First")
    queue.answer(pending.id, .accepted)
    let next = try #require(queue.current)
    #expect(next.question.title == "Second")
    queue.answer(next.id, .chosen("x"))
    #expect(try await first.value == .accepted)
    #expect(try await second.value == .chosen("x"))
    #expect(queue.current == nil)
  }

  @Test func `a question the person cancels fails as cancelled`() async throws {
    let queue = QuestionQueue()
    let task = await asked("Sign in", queue, becomes: 1)
    queue.cancel(try #require(queue.current).id)
    let error = await #expect(throws: ServiceError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `a question whose task is cancelled is withdrawn`() async throws {
    let queue = QuestionQueue()
    let task = await asked("Sign in", queue, becomes: 1)
    task.cancel()
    let error = await #expect(throws: ServiceError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    #expect(queue.current == nil)
  }

  @Test func `an answer to a question that is gone changes nothing`() async throws {
    let queue = QuestionQueue()
    queue.answer(17, .accepted)
    queue.cancel(17)
    #expect(queue.current == nil)
  }

  @Test func `where nobody can be asked the error names the way out`() async {
    let question = question("Sign in")
    let error = await #expect(throws: ServiceError.self) { try await NobodyToAsk().ask(question) }
    #expect(error?.code == .signInNeeded)
    #expect(error?.advice.contains("atrium login bank") == true)
  }
}
