import JSON
import Model

/// What an action did, for people and for programs.
enum OutcomePrinter {
  static func print(_ outcome: ActionOutcome, _ session: Session) throws(ServiceError) {
    guard session.isJSON else {
      try session.output.write(Visible.printed(outcome.message) + "\n")
      return
    }
    var writer = JSONWriter(escapingTerminalControls: session.output.isTerminal)
    writer.beginObject()
    writer.key("message")
    writer.string(outcome.message)
    writer.key("location")
    outcome.location.map { writer.string($0.text) } ?? writer.null()
    writer.endObject()
    writer.endLine()
    try session.output.write(json: writer.take())
  }
}
