import Model
import Screens

/// What the browser has done by others: the service layer in the program, a script in the tests.
///
/// Everything happens on the main actor and nothing waits; answers come through `reply`, in the order they arrive.
@MainActor
package protocol ServicePort: AnyObject {
  var connections: [ConnectionInfo] { get }
  var jobs: [JobInfo] { get }
  /// The question a back end asks just now; the next one comes when this is answered.
  var question: (id: Int, question: Question)? { get }
  /// Whether something goes on that no request stands for: a transfer, or learning about a connection.
  var isWorking: Bool { get }
  /// Called after any of these changed.
  var onChange: (() -> Void)? { get set }

  /// Starts a request. `reply` is called until an answer that is final, unless the request was cancelled.
  func start(_ request: Request, reply: @escaping @MainActor (Reply) -> Void) -> any PendingRequest
  func order(_ order: JobOrder)
  /// Nil when the person does not want to answer.
  func answer(_ question: Int, _ answer: Answer?)

  /// Opens the sandbox that is built in and takes its connections; the answer is a failure or `done`.
  func startSandbox(reply: @escaping @MainActor (Reply) -> Void)
  func change(_ change: ConnectionChange) throws(ServiceError)
  func keep(bookmarks: [Location])
  func keep(memory: Memory)
}

extension ServicePort {
  package var isWorking: Bool { jobs.contains { $0.state == .running || $0.state == .waiting } }
}

/// A request under way.
@MainActor
package protocol PendingRequest: AnyObject {
  func cancel()
}
