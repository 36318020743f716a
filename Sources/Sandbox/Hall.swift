import Glibc
import HTTPServer

/// The five servers without a port: from a request to its answer.
package final class Hall: Sendable {
  package let setting: DoorSetting
  package let doors: [any Door]
  package let faults = FaultPlan()
  package let journal = RequestJournal()
  private let routes: [(prefix: [String], door: any Door)]

  package init(_ options: SandboxOptions = SandboxOptions(), clock: SandboxClock = .system) {
    setting = DoorSetting(options: options, clock: clock)
    doors = Self.makeDoors(setting)
    routes = doors.flatMap { door in
      door.prefixes.map { (prefix: $0.split(separator: "/").map(String.init), door: door) }
    }.sorted { $0.prefix.count > $1.prefix.count }
  }

  /// Answers one request: faults first, then the door whose prefix fits best, then what faults do to its answer.
  package func respond(to server: ServerRequest) -> ServerResponse {
    let request = SandboxRequest(server, now: setting.clock.now)
    if request.segments.first == "sandbox" { return control(request) }
    let door = door(for: request.segments)
    let kinds = faults.take(door: door?.name ?? "", path: request.path)
    pause(milliseconds: kinds.reduce(setting.options.latency) { $0 + $1.milliseconds })
    var response =
      kinds.lazy.compactMap(\.replacement).first ?? door.map { $0.handle(request) } ?? frontPage(request)
    for kind in kinds { response = kind.spoil(response) }
    journal.add(
      RequestJournal.Entry(
        door: door?.name ?? "", method: request.method, path: request.path, query: server.query.map(\.name),
        status: response.status
      ))
    return response
  }

  /// `config.yaml` with a connection for each door.
  package func configuration(origin: String) -> String {
    let entries = doors.map { door in
      var lines = door.configuration(origin: origin).split(separator: "\n", omittingEmptySubsequences: false)
      while lines.last?.isEmpty == true { lines.removeLast() }
      return lines.enumerated().map { $0 == 0 ? "  - \($1)\n" : "    \($1)\n" }.joined()
    }
    return "connections:\n" + entries.joined()
  }

  private func door(for segments: [String]) -> (any Door)? {
    routes.first { segments.starts(with: $0.prefix) }?.door
  }

  private func frontPage(_ request: SandboxRequest) -> ServerResponse {
    guard request.segments.isEmpty else { return .text("No server of the sandbox owns this path.\n", status: 404) }
    let lines = doors.map { "\($0.name): \($0.prefixes.joined(separator: " "))\n" }
    return .text("Sandbox\n" + lines.joined() + "control: /sandbox/\n")
  }

  private func pause(milliseconds: Int) {
    guard milliseconds > 0 else { return }
    var pause = timespec(tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000)
    var rest = timespec()
    while nanosleep(&pause, &rest) == -1 && errno == EINTR { pause = rest }
  }
}

extension FaultPlan.Kind {
  fileprivate var milliseconds: Int {
    if case .latency(let milliseconds) = self { milliseconds } else { 0 }
  }
}
