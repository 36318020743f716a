import FoundationEssentials
import Glibc
import JSON
import Model
import Sandbox
import TestKit
import Testing
import Wire

/// People who search and file documents, with the real program against the sandbox in it.
@Suite(.serialized, .bounded) struct DocumentJourneyTests {
  private func demo(environment: [String: String] = [:], at place: String) async throws -> TerminalProcess {
    let directory = try TemporaryDirectory()
    var variables = ["HOME": directory.path, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"]
    variables.merge(environment) { $1 }
    let program = try TerminalProcess(
      Journey.program, ["demo"], environment: variables, directory: directory, size: Size(columns: 100, rows: 30))
    try await program.shows("Choose a door")
    program.type(":docs:\(place)\r")
    try await program.shows("Sign in to docs")
    program.type("\r")
    return program
  }

  @Test func `somebody searches, narrows by a facet, opens a result and downloads it`() async throws {
    let program = try await demo(at: "/files")
    defer { program.stop() }
    try await program.shows("Shared/")
    program.type("f")
    try await program.shows("Type words")
    program.type("minutes\r")
    try await program.shows("Created by")
    program.type("\t")
    program.type("\r")
    // All of them fit one page once they are narrowed, and have the cursor.
    try await program.screen("the narrowed results") {
      $0.shows(" only ") && $0.shows(" results") && !$0.shows("first 100")
    }
    program.type("\r")
    try await program.screen("the document") { $0.shows("→ Versions") }
    program.type("d")
    try await program.shows("is done")
    #expect(program.directory.names.contains { $0.hasPrefix("Minutes") || $0.contains("minutes") })
  }

  @Test func `a picture is painted by the terminal that can, and taken away again`() async throws {
    let tools = try TemporaryDirectory()
    // As chafa writes it, which need not be installed.
    try tools.write(
      "#!/bin/sh\nprintf '\\033_Ga=T,f=32,s=8,v=8,c=1,r=1,m=1\\033\\\\\\033_Gm=0;AAAA\\033\\\\'\n", to: "chafa")
    chmod(tools.file("chafa"), 0o755)
    let program = try await demo(
      environment: ["PATH": "\(tools.path):/usr/bin:/bin", "TERM_PROGRAM": "WezTerm"],
      at: "/files/Shared/Media/crane.png")
    defer { program.stop() }
    try await program.shows("→ Versions")
    program.type("v")
    try await program.screen("the picture") { $0.pictures == ["Ga=T,f=32,s=8,v=8,c=1,r=1,C=1,q=2,m=1"] }
    program.type("?")
    try await program.screen("help without the picture") { $0.pictures.isEmpty && $0.shows("Keys") }
    program.type("\u{1B}")
    try await program.screen("the picture again") { $0.pictures.count == 1 }
    program.type(":\u{15}quit\r")
    #expect(try await program.end() == 0)
    #expect(program.screen.pictures.isEmpty)
    #expect(program.isAsFound)
  }

  @Test func `a taken name is asked about, and the answer makes a version`() async throws {
    let program = try await demo(at: "/files/Shared")
    defer { program.stop() }
    try await program.shows("Reports")
    try program.directory.write("first", to: "report.txt")
    program.type("u")
    try await program.shows("File or folder")
    program.type("\(program.directory.file("report.txt"))\r")
    try await program.shows("report.txt is done")
    try program.directory.write("second", to: "report.txt")
    program.type("u")
    try await program.shows("File or folder")
    program.type("\(program.directory.file("report.txt"))\r")
    try await program.shows("is there already")
    program.type("j\r")
    try await program.screen("the second upload") { !$0.shows("is there already") && $0.shows("report.txt is done") }
    program.type(":docs:/files/Shared/report.txt/@versions\r")
    try await program.screen("two versions") { $0.shows("2.0") && $0.shows("1.0") }
    // The two are texts, and compared as such.
    program.type("=")
    try await program.screen("both texts") { $0.shows("- first") && $0.shows("+ second") }
  }

  @Test func `a file is edited under a lock and stored as a version`() async throws {
    let tools = try TemporaryDirectory()
    defer { withExtendedLifetime(tools) {} }
    try tools.write("#!/bin/sh\nprintf ' and more' >> \"$1\"\n", to: "editor")
    chmod(tools.file("editor"), 0o755)
    let program = try await demo(environment: ["EDITOR": tools.file("editor")], at: "/files/Shared")
    defer { program.stop() }
    try await program.shows("Reports")
    try program.directory.write("words", to: "draft.txt")
    program.type("u")
    try await program.shows("File or folder")
    program.type("\(program.directory.file("draft.txt"))\r")
    try await program.shows("draft.txt is done")
    program.type(":docs:/files/Shared/draft.txt\r")
    try await program.shows("→ Versions")
    program.type("E")
    try await program.shows("as a new version")
    program.type("v")
    try await program.shows("words and more")
    // Not Esc: with a letter right behind it the two are one key.
    program.type("h")
    try await program.shows("→ Versions")
    program.type("r")
    try await program.screen("the lock gone") { $0.shows("Locked") && !$0.shows("Locked by") }
  }

  // MARK: Signing in

  private func journey(_ method: String) throws -> Journey {
    try Journey { text in
      // The last `method: basic` of the documents' connection gives way to the sign-in service.
      let issuer = text.split(separator: "\n").first { $0.contains("/alfresco") && $0.contains("url:") } ?? ""
      let origin = issuer.split(separator: " ").last.map { String($0).replacing("/alfresco", with: "") } ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      var isDocs = false
      return lines.flatMap { line -> [String] in
        if line.contains("name: ") { isDocs = line.contains("name: docs") }
        guard isDocs else { return [line] }
        let indent = String(line.prefix { $0 == " " })
        if line.contains("method: basic") {
          return [
            "\(indent)method: \(method)", "\(indent)issuer: \(origin)/auth/realms/alfresco",
            "\(indent)clientID: atrium",
          ]
        }
        return line.contains("user:") || line.contains("password:") ? [] : [line]
      }.joined(separator: "\n")
    }
  }

  /// What the sandbox says of susan: her password.
  private func password(_ journey: Journey) throws -> String {
    let line = try #require(journey.sandbox.credentials.first { $0.hasPrefix("docs") })
    let words = line.split(separator: " ").map(String.init)
    let name = try #require(words.firstIndex(of: "susan"))
    return words[name + 2]
  }

  @Test func `somebody signs in with a browser that leads back`() async throws {
    let journey = try journey("pkce")
    let program = try journey.start("login", "docs", "--no-browser")
    program.write("")
    let said = try #require(await openLine(program, "open "))
    let browser = CurlTransport()
    let page = try #require(URL(string: said))
    #expect(said.contains("code_challenge_method=S256"))
    let form = String(decoding: try await browser.send(.get(page)).body, as: UTF8.self)
    let action = try #require(form.firstRange(of: "action=\"").map { form[$0.upperBound...].prefix { $0 != "\"" } })
    let target = try #require(URL(string: String(action), relativeTo: page))
    var post = HTTPRequest.form(
      target.absoluteURL, [(name: "username", value: "susan"), (name: "password", value: try password(journey))],
      label: "sign in")
    post.followsRedirects = false
    let back = try #require(try await browser.send(post).headers["Location"].flatMap { URL(string: $0) })
    // A stranger's answer is not believed.
    let stranger = try #require(URL(string: back.absoluteString.replacing("state=", with: "state=x")))
    #expect(try await browser.send(.get(stranger)).status == 404)
    #expect(try await browser.send(.get(back)).status == 200)
    let end = await program.end()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.contains("susan"))
  }

  @Test func `somebody signs in with a code on another device`() async throws {
    let journey = try journey("device")
    let program = try journey.start("login", "docs", "--device")
    program.write("")
    // `enter CODE at URL`
    let said = try #require(await openLine(program, "enter "))
    let words = said.split(separator: " ").map(String.init)
    let page = try #require(words.last.flatMap { URL(string: $0) })
    let fields = [
      ("user_code", words[0]), ("answer", "yes"), ("username", "susan"), ("password", try password(journey)),
    ]
    let answer = try await CurlTransport().send(
      .form(page, fields.map { (name: $0.0, value: $0.1) }, label: "enter the code"))
    #expect(answer.status < 400)
    let end = await program.end()
    #expect(end.status == 0, "\(end.errors)")
    #expect(end.errors.contains("susan"))
  }

  /// What follows a word at the beginning of one of the first lines it says; a warning may come before.
  private func openLine(_ program: RunningProcess, _ start: String) async -> String? {
    for _ in 0..<6 {
      guard let line = await program.firstLine(ofErrors: true) else { return nil }
      if line.hasPrefix(start) { return String(line.dropFirst(start.count)) }
    }
    return nil
  }

  // MARK: Large content

  @Test func `64 MiB go down and up again, byte for byte, in flat memory`() async throws {
    let journey = try Journey()
    let scan = "docs:/files/Shared/Media/survey-scan.bin"
    let down = journey.directory.file("scan.bin")
    let small = try await journey.run(
      "get", "docs:/files/Shared/Media/crane.png", "-o", journey.directory.file("c.png"))
    let got = try await journey.run("get", scan, "-o", down)
    #expect(got.status == 0, "\(got.errors)")
    #expect(size(down) == 64 << 20)
    let put = try await journey.run("put", down, "docs:/files/Shared/copy.bin")
    #expect(put.status == 0, "\(put.errors)")
    let back = journey.directory.file("back.bin")
    #expect(try await journey.run("get", "docs:/files/Shared/copy.bin", "-o", back).status == 0)
    let same = try await ProcessRun.of("/usr/bin/cmp", [down, back], environment: [:])
    #expect(same.status == 0, "\(same.errors)\(same.text)")
    for run in [got, put] { #expect(run.peakMemory - small.peakMemory < 24 << 20, "\(run.peakMemory) bytes") }
  }

  @Test func `a broken download of 64 MiB goes on where it stopped and ends byte-identical`() async throws {
    let journey = try Journey()
    let scan = "docs:/files/Shared/Media/survey-scan.bin"
    let whole = journey.directory.file("whole.bin")
    #expect(try await journey.run("get", scan, "-o", whole).status == 0)
    journey.sandbox.hall.faults.order(FaultPlan.Fault(.cut, target: "docs"))
    let path = journey.directory.file("broken.bin")
    #expect(try await journey.run("get", scan, "-o", path).status == 5)
    journey.sandbox.hall.faults.reset()
    let part = size(path + ".part")
    let again = try await journey.run("get", scan, "-o", path)
    #expect(again.status == 0, "\(again.errors)")
    #expect(part == nil || (part ?? 0) < 64 << 20)
    let same = try await ProcessRun.of("/usr/bin/cmp", [whole, path], environment: [:])
    #expect(same.status == 0, "\(same.errors)\(same.text)")
  }

  private func size(_ path: String) -> Int? {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : nil
  }
}
