import Glibc
import JSON
import Model
import Sandbox
import Store
import TestKit
import Testing

/// The bank through the whole program: signing in on its pages, and lists to their last row.
@Suite(.bounded) struct BankJourneyTests {
  /// A journey whose bank signs in another way, with a browser that writes down what it was asked to open.
  private func journey(_ method: String) throws -> Journey {
    let journey = try Journey { text in
      var text = text.replacing("method: direct", with: method)
      // What is signed in for by a page must not be answered from the file.
      if let bank = text.firstRange(of: "name: bank") {
        let rest = text[bank.lowerBound...]
        if let password = rest.firstRange(of: "    password:") {
          text.replaceSubrange(password, with: "    # password:")
        }
      }
      return text
    }
    try journey.directory.write("#!/bin/sh\nprintf '%s\\n' \"$1\" > \"$PAGE_FILE\"\n", to: "browser")
    #expect(chmod(journey.directory.file("browser"), 0o700) == 0)
    return journey
  }

  private func environment(_ journey: Journey) -> [String: String] {
    [
      "BROWSER": journey.directory.file("browser"), "PAGE_FILE": journey.directory.file("page"),
      "ATRIUM_PIN_FILE": journey.directory.file("pin"),
    ]
  }

  /// What a whole line of a file that is being written says after its beginning.
  private func line(of name: String, _ journey: Journey, beginning: String = "") async throws -> String {
    for _ in 0..<2000 {
      let lines = (journey.directory.text(name) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      if let line = lines.dropLast().first(where: { $0.contains(beginning) }) {
        let place = line.firstRange(of: beginning)?.upperBound ?? line.startIndex
        return String(line[place...])
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Silent(name: name)
  }

  private struct Silent: Error {
    let name: String
  }

  /// Of a connection; the identity provider knows people by what they sign in to the documents with.
  private func credentials(_ journey: Journey, of name: String = "bank") -> (user: String, password: String) {
    let line = journey.sandbox.configuration.split(separator: "\n").map { $0.drop { $0 == " " } }
    let bank = line.drop { !$0.contains("name: \(name)") }
    let value = { (key: String) in
      bank.first { $0.hasPrefix("\(key):") }.map { $0.dropFirst(key.count + 1).filter { $0 != "\"" && $0 != " " } }
        ?? ""
    }
    return (value("user"), value("password"))
  }

  @Test(arguments: ["method: oauth1", "method: oauth1\n      signature: HMAC-SHA1"])
  func `three legs of OAuth go through the bank's own pages`(method: String) async throws {
    try await signIn(by: method)
  }

  @Test func `OpenID Connect goes through the identity provider's pages`() async throws {
    try await signIn(by: "method: oidc\n      clientID: atrium\n      issuer: ISSUER")
  }

  private func signIn(by method: String) async throws {
    let journey = try journey(method)
    let issuer = "\(journey.sandbox.origin)/auth/realms/alfresco"
    let text = try #require(journey.directory.text("config.yaml")).replacing("ISSUER", with: issuer)
    try journey.directory.write(text, to: "config.yaml")
    try journey.directory.write("123456789\n", to: "pin")
    // What a sign-in by a page obtains is kept in a vault and nowhere else.
    let vault = Vault(name: "default", directory: journey.directory.file(".local/share/atrium"), clock: StubClock())
    try vault.create(pin: Secret("123456789"), policy: VaultPolicy(), cost: VaultCost(logN: 4))
    let environment = environment(journey)
    let login = try RunningProcess(
      Journey.program, ["login", "bank"], environment: journey.environment.merging(environment) { $1 })
    login.write("")
    let (user, password) = credentials(journey, of: method.contains("oidc") ? "docs" : "bank")
    try await PageVisitor(user: user, password: password).visit(try await line(of: "page", journey))
    let run = await login.end()
    #expect(run.status == 0, "\(run.errors)")
    let me = try await journey.run("show", "bank:/me", environment: environment)
    #expect(me.status == 0, "\(me.errors)")
    #expect(try JSONDocument(me.output).root["fields"]["name"].string == user)
  }

  @Test func `the verifier that a page shows is read from standard input`() async throws {
    let journey = try journey("method: oauth1")
    let (user, password) = credentials(journey)
    let told = journey.directory.file("told")
    let login = try RunningProcess(
      "/bin/sh", ["-c", "exec \(Journey.program) login bank --oob 2> \(told)"], environment: journey.environment)
    let page = try await line(of: "told", journey, beginning: "open ")
    let verifier = try await PageVisitor(user: user, password: password).signIn(page).text(ofID: "verifier")
    login.write("\(try #require(verifier))\n")
    let run = await login.end()
    #expect(run.status == 0, "\(journey.directory.text("told") ?? "")")
  }

  // MARK: Every row once

  @Test(arguments: ["gen-l", "gen-h"])
  func `all pages of a list hold every row once and in order, in every currency`(profile: String) async throws {
    let journey = try Journey(SandboxOptions(accounts: 10, transactions: 260, documents: 10, objects: 5))
    let bank = try #require(journey.sandbox.hall.doors.first { $0.name == "bank" })
    #expect(bank.set("profile", to: profile))
    let accounts = try await journey.rows("bank:/accounts")
    for currency in ["EUR", "JPY", "KWD"] {
      let account = try #require(
        accounts.first { $0["currency"].string == currency && $0["balance"].string != nil }, "\(currency)")
      let rows = try await journey.rows("\(account["location"].string ?? "")/transactions")
      #expect(rows.count >= 260)
      #expect(Set(rows.compactMap { $0["id"].string }).count == rows.count)
      let times = rows.compactMap { $0["completed"].string }
      #expect(times == times.sorted(by: >))
      let decimals = Money.decimals(of: currency)
      let written = rows.compactMap { $0["amount"].string }
      #expect(written.allSatisfy { ($0.split(separator: ".").dropFirst().first?.count ?? 0) == decimals })
      // The balances tie the rows together: each is the one before and its amount, to the last unit.
      let amounts = try written.map { try #require(Money(decimal: $0, currency: currency)).units }
      let balances = rows.map { $0["balance"].string.flatMap { Money(decimal: $0, currency: currency) }?.units }
      for index in rows.indices.dropLast() {
        #expect(balances[index] == balances[index + 1].map { $0 + amounts[index] })
      }
    }
  }

  @Test func `every transaction of an account is exported as a statement, to the last unit`() async throws {
    let journey = try Journey()
    let account = try #require(try await journey.rows("bank:/accounts").first { $0["balance"].string != nil })
    let place = "\(account["location"].string ?? "")/transactions"
    let rows = try await journey.rows(place)
    let written = { (mark: String, text: String) in
      text.split(separator: "\n").filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
    let ofx = try await journey.run("ls", place, "--all", "--format", "ofx")
    #expect(ofx.status == 0, "\(ofx.errors)")
    #expect(ofx.text.components(of: "<TRNAMT>") == rows.compactMap { $0["amount"].string })
    let qif = try await journey.run("ls", place, "--all", "--format", "qif")
    #expect(written("T", qif.text) == rows.compactMap { $0["amount"].string })
    #expect(written("^", qif.text).count == rows.count)
  }

  @Test func `a sandbox of six million transactions holds none of them`() async throws {
    let directory = try TemporaryDirectory()
    let environment = [
      "HOME": directory.path, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8",
      "ATRIUM_CONFIG": directory.file("config.yaml"),
    ]
    let told = directory.file("told")
    let words = "sandbox --accounts 300 --transactions 20000 --print-config \(directory.file("config.yaml"))"
    let server = try RunningProcess(
      "/bin/sh", ["-c", "exec \(Journey.program) \(words) > \(told)"], environment: environment)
    for _ in 0..<2000 where directory.text("told")?.contains("listening") != true {
      try await Task.sleep(for: .milliseconds(10))
    }
    let early = try #require(BankJourneyTests.kilobytes(server.identifier))
    let list = try await ProcessRun.of(
      Journey.program, ["ls", "bank:/accounts/@totals", "--format", "json"], environment: environment)
    let totals = try JSONDocument(list.output).root["rows"].elements.map { $0["accounts"].int ?? 0 }
    #expect(totals.reduce(0, +) == 300)
    let accounts = try await ProcessRun.of(
      Journey.program, ["ls", "bank:/accounts", "--limit", "1", "--format", "json"], environment: environment)
    let place = try #require(try JSONDocument(accounts.output).root["rows"][0]["location"].string)
    let all = try await ProcessRun.of(
      Journey.program, ["ls", "\(place)/transactions", "--all", "--columns", "id"], environment: environment)
    #expect(all.text.split(separator: "\n").count >= 20_000)
    let late = try #require(BankJourneyTests.kilobytes(server.identifier))
    #expect(late < 200 * 1_024, "resident \(early) kB, later \(late) kB")
    kill(server.identifier, SIGTERM)
    #expect(await server.end().status == 0)
  }

  /// What a process holds in memory now.
  private static func kilobytes(_ process: pid_t) -> Int? {
    guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
      let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if text.hasPrefix("VmRSS:") { return Int(text.filter(\.isNumber)) }
    }
    return nil
  }

  @Test func `a raw answer is the server's bytes`() async throws {
    let journey = try Journey()
    let shown = try await journey.run("show", "bank:/banks/kiln.01.fi", "--raw")
    let called = try await journey.run("call", "bank", "GET", "/banks/kiln.01.fi")
    #expect(shown.output == called.output && !shown.output.isEmpty)
  }
}

extension Journey {
  fileprivate func rows(_ location: String) async throws -> [JSONValue] {
    let run = try await self.run("ls", location, "--all", "--format", "json")
    guard run.status == 0 else { throw Failed(run: run) }
    return Array(try JSONDocument(run.output).root["rows"].elements)
  }
}

extension String {
  /// What stands between a mark and the next one of any kind, at each place where the mark stands.
  fileprivate func components(of mark: String) -> [String] {
    ranges(of: mark).map { String(self[$0.upperBound...].prefix { $0 != "<" }) }
  }
}
