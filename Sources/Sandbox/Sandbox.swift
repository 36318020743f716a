import HTTPServer
import Synchronization

/// Five servers on one loopback port, over one invented city.
package final class Sandbox: Sendable {
  /// The servers behind the port.
  package let hall: Hall
  private let server: HTTPServer

  /// Opens the port; on return it accepts connections.
  package init(_ options: SandboxOptions = SandboxOptions(), clock: SandboxClock = .system) throws(HTTPServerError) {
    let hall = Hall(options, clock: clock)
    self.hall = hall
    server = try HTTPServer(port: options.port) { hall.respond(to: $0) }
  }

  package var port: UInt16 { server.port }

  /// `http://127.0.0.1:PORT`.
  package var origin: String { "http://127.0.0.1:\(port)" }

  /// Stops accepting and waits for the answers under way.
  package func stop() { server.stop() }

  /// A ready `config.yaml` for all five, with literal credentials.
  package var configuration: String { hall.configuration(origin: origin) }

  /// Who can sign in where, a line each.
  package var credentials: [String] { hall.doors.flatMap(\.credentials) }
}
