import Model
import Service
import Store

enum DoctorCommand {
  static let command = Command(
    "doctor", [""], "check terminal, locale, configuration and connections, and say what to do",
    details: ["Ends with 1 when something is broken; what is only worth knowing is no failure."],
    options: [ListingOptions.form],
    arguments: 0...0, run: run)

  private static let columns = [
    Column("check", "Check", rank: 0), Column("state", "State", rank: 0), Column("finding", "Finding", rank: 0),
    Column("advice", "What to do", rank: 0),
  ]

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    var findings = Finding.ofSurroundings(session)
    do throws(ServiceError) {
      let configuration = try session.configuration()
      findings.append(Finding.of(configuration, session))
      findings += Finding.ofTheme(configuration, session)
      findings += try await ofConnections(configuration, session)
    } catch {
      findings.append(Finding("configuration", .broken, error.reason, error.advice(at: .command)))
    }
    let rows = findings.map { finding in
      Row(
        Location(connection: "atrium"),
        [.text(finding.check), .text(finding.state.rawValue), .text(finding.text), .optional(finding.advice)])
    }
    let form = session.invocation.value("format").flatMap(ListingOptions.Form.init) ?? .table
    if form == .table {
      for finding in findings { try session.output.write(finding.lines) }
    } else {
      try RecordPrinter.print(rows, columns, session, form: form)
    }
    return findings.contains { $0.state == .broken } ? ExitStatus.failed : ExitStatus.done
  }

  private static func ofConnections(
    _ configuration: Configuration, _ session: Session
  ) async throws(ServiceError) -> [Finding] {
    let service = try session.service(asker: NobodyToAsk())
    let names = configuration.connections.map(\.name)
    let kinds = Dictionary(configuration.connections.map { ($0.name, $0.kind) }) { first, _ in first }
    let results = await ConnectionCheck.all(names) { name throws(ServiceError) in
      try await ConnectionCheck.reach(name, service)
    }
    var findings: [Finding] = []
    for (name, result) in zip(names, results) {
      switch result {
      case .success(let state):
        let who = state.isSignedIn ? "signed in\(state.user.map { " as \($0)" } ?? "")" : "reached, not signed in"
        findings.append(Finding("connection \(name)", .fine, who))
      case .failure(let error):
        findings.append(Finding("connection \(name)", .broken, error.reason, error.advice(at: .command)))
        // Nobody answers there: the server can say nothing of itself either.
        if error.code == .unreachable { continue }
      }
      // A way to sign in that the server has not got is found by looking at those it has.
      if let kind = kinds[name], let offer = await ConnectionCheck.offer(name, kind, service) {
        findings.append(Finding("server of \(name)", .fine, offer))
      }
    }
    return findings
  }
}
