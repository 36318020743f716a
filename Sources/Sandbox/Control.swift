import HTTPServer

/// The control endpoint, for tests and demos; it is nobody's API and asks for no credentials, as it listens on loopback only.
///
/// - `POST /sandbox/faults?kind=K[&door=NAME|&path=/prefix][&times=N][&ms=N][&status=N][&seconds=N]` orders a fault. Kinds:
///   `latency` (`ms`), `status` (`status`, an HTML page), `truncated`, `busy` (429, `seconds` in `Retry-After`), `cut`, and the
///   events `expire-tokens` and `conflict`, which happen at once inside the doors named.
/// - `GET /sandbox/faults` lists what stands; `DELETE /sandbox/faults` or `POST /sandbox/reset` ends all faults, and `reset`
///   also takes all data back to its start and empties the journal.
/// - `POST /sandbox/settings?door=NAME&SETTING=VALUE…` changes how a server behaves; each door documents its own.
/// - `GET /sandbox/requests` lists the last requests, one a line: door, method, path, status. `DELETE` empties the list.
extension Hall {
  func control(_ request: SandboxRequest) -> ServerResponse {
    switch (request.method, request.segments.dropFirst().first ?? "") {
    case ("GET", "requests"):
      let lines = journal.entries.map { "\($0.door.isEmpty ? "-" : $0.door) \($0.method) \($0.path) \($0.status)\n" }
      return .text(lines.joined())
    case ("DELETE", "requests"):
      journal.clear()
      return .empty(204)
    case ("GET", "faults"):
      return .text(faults.standing.map { "\($0)\n" }.joined())
    case ("POST", "faults"):
      return order(request)
    case ("POST", "settings"):
      return set(request)
    case ("DELETE", "faults"):
      faults.reset()
      return .empty(204)
    case ("POST", "reset"):
      faults.reset()
      journal.clear()
      for door in doors { door.suffer(.reset) }
      return .empty(204)
    default:
      return .text("No such control.\n", status: 404)
    }
  }

  private func set(_ request: SandboxRequest) -> ServerResponse {
    guard let door = doors.first(where: { $0.name == request.query("door") }) else {
      return .text("No such door.\n", status: 400)
    }
    for (name, value) in request.server.query where name != "door" {
      guard door.set(name, to: value) else {
        return .text("\(door.name) has no setting \(name)=\(value).\n", status: 400)
      }
    }
    return .empty(204)
  }

  private func order(_ request: SandboxRequest) -> ServerResponse {
    let door = request.query("door")
    if let door, !doors.contains(where: { $0.name == door }) {
      return .text("No door is named \(door).\n", status: 400)
    }
    let name = request.query("kind") ?? ""
    if let event = DoorEvent(rawValue: name) {
      for known in doors where door == nil || known.name == door { known.suffer(event) }
      return .empty(204)
    }
    guard let kind = FaultPlan.Kind(name, request) else { return .text("No such kind of fault.\n", status: 400) }
    let times = request.query("times").flatMap { Int($0) }
    faults.order(FaultPlan.Fault(kind, target: door ?? request.query("path") ?? "", times: times))
    return .empty(204)
  }
}

extension FaultPlan.Kind {
  fileprivate init?(_ name: String, _ request: SandboxRequest) {
    func number(_ name: String, _ standard: Int) -> Int { request.query(name).flatMap { Int($0) } ?? standard }
    switch name {
    case "latency": self = .latency(min(max(0, number("ms", 1_000)), 600_000))
    case "status": self = .status(min(max(400, number("status", 500)), 599))
    case "truncated": self = .truncated
    case "busy": self = .busy(retryAfter: max(0, number("seconds", 1)))
    case "cut": self = .cut
    default: return nil
    }
  }
}
