import JSON
import Model

extension Report {
  /// `{"error":{"kind":…,"status":…,"code":…,"message":…}}`.
  static func document(_ error: ServiceError, isForTerminal: Bool) -> [UInt8] {
    var writer = JSONWriter(escapingTerminalControls: isForTerminal)
    writer.beginObject()
    writer.key("error")
    writer.beginObject()
    writer.key("kind")
    writer.string(error.code.rawValue)
    writer.key("status")
    error.status.map { writer.integer($0) } ?? writer.null()
    writer.key("code")
    error.serverCode.map { writer.string($0) } ?? writer.null()
    writer.key("message")
    writer.string(error.message(at: .command))
    writer.endObject()
    writer.endObject()
    writer.endLine()
    return writer.take()
  }
}
