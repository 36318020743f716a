import Model
import TestKit
import Testing

@testable import Store

private func read(_ text: String) throws -> Configuration {
  try Configuration(parsing: Array(text.utf8), path: "/etc/atrium/config.yaml")
}

@Suite struct ConfigurationTests {
  @Test func `a full example is read with secrets and places`() throws {
    let configuration = try read(
      """
      theme: dusk
      keys: { ctrl-r: refresh }
      connections:
        - name: bank
          kind: openbank
          url: https://bank.example/obp/v5.1.0
          readOnly: true
          timeout: 12
          headers: { X-Team: support, X-Key: { env: TEAM_KEY } }
          auth: { method: direct, consumerKey: abc, user: susan, password: { env: OBP_PASSWORD } }
        - name: mfp
          kind: mobilefirst
          url: http://127.0.0.1/mfp
          answers:
            UserLogin: { username: ada, password: { file: ada.txt } }
            PinCode: { pin: { command: [pass, show, pin] } }
      """)
    #expect(configuration.warnings.isEmpty)
    #expect(configuration.theme == "dusk")
    #expect(configuration.keys.map(\.key) == ["ctrl-r"])
    let bank = try configuration.requiredConnection(named: "bank")
    #expect(bank.isReadOnly)
    #expect(try bank.settings.integer("timeout") == 12)
    #expect(try bank.settings.secret("auth.password") == .environment("OBP_PASSWORD"))
    #expect(try bank.settings.secret("headers.X-Key") == .environment("TEAM_KEY"))
    #expect(bank.settings["auth.user"]?.origin.text == "/etc/atrium/config.yaml:10:53")
    let mfp = try configuration.requiredConnection(named: "mfp").settings
    #expect(try mfp.secret("answers.UserLogin.password") == .file("/etc/atrium/ada.txt"))
    #expect(try mfp.secret("answers.PinCode.pin") == .command(["pass", "show", "pin"]))
  }

  @Test func `JSON is welcome`() throws {
    let configuration = try read(
      #"{"connections": [{"name": "docs", "kind": "alfresco", "url": "https://d.example"}]}"#)
    #expect(configuration.connections.map(\.name) == ["docs"])
  }

  @Test func `an empty file is no mistake`() throws {
    #expect(try read("").connections.isEmpty)
    #expect(try read("# nothing yet\n").connections.isEmpty)
    #expect(try read("connections:\n").connections.isEmpty)
  }

  @Test func `unknown keys are warned of by name, line and the nearest known one`() throws {
    let configuration = try read(
      """
      thme: dusk
      connections:
        - name: bank
          kind: openbank
          url: https://bank.example
          auth: { usr: susan }
      """)
    #expect(
      configuration.warnings.map(\.description) == [
        "/etc/atrium/config.yaml:1:1: unknown key “thme”; did you mean “theme”?",
        "/etc/atrium/config.yaml:6:13: unknown key “usr” under “auth”; did you mean “user”?",
      ])
    #expect(configuration.connections.count == 1)
  }

  struct Broken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let place: String
    let words: String
    init(_ description: String, _ text: String, at place: String, says words: String) {
      testDescription = description
      self.text = text
      self.place = place
      self.words = words
    }
  }

  static let connection = "connections:\n- name: bank\n  kind: openbank\n"

  @Test(arguments: [
    Broken("a tab in the wrong place", "theme: a\n\t- b\n", at: ":2:1", says: ""),
    Broken("a list instead of a mapping", "- theme\n", at: ":1:1", says: "mapping"),
    Broken(
      "an unknown kind", "connections:\n- { name: bank, kind: openbnk }\n", at: ":2:23", says: "did you mean “openbank”"
    ),
    Broken("no kind", "connections:\n- { name: bank }\n", at: ":2:3", says: "has no kind"),
    Broken("no name", "connections:\n- { kind: omce }\n", at: ":2:3", says: "has no name"),
    Broken("a name with a colon", "connections:\n- { name: 'a:b', kind: omce }\n", at: ":2:11", says: "cannot name"),
    Broken(
      "a name twice", "connections:\n- { name: a, kind: omce }\n- { name: a, kind: omce }\n", at: ":3:11",
      says: "second"),
    Broken("a word for a number", connection + "  timeout: soon\n", at: ":4:12", says: "whole number"),
    Broken("a number that is too small", connection + "  timeout: -5\n", at: ":4:12", says: "above 0, and is -5"),
    Broken("a word for a flag", connection + "  readOnly: maybe\n", at: ":4:13", says: "true or false"),
    Broken("a table for a text", connection + "  url: { a: b }\n", at: ":4:8", says: "address"),
    Broken("an address without a scheme", connection + "  url: bank.example\n", at: ":4:8", says: "https://"),
    Broken("an unknown method", connection + "  auth: { method: oath1 }\n", at: ":4:19", says: "did you mean “oauth1”"),
    Broken(
      "a secret of two sources", connection + "  auth: { password: { env: A, file: b } }\n", at: ":4:21",
      says: "env: NAME"),
    Broken("a key twice", "theme: a\ntheme: b\n", at: ":2:1", says: ""),
  ]) func `what is broken is named with file, line and column`(_ broken: Broken) throws {
    let error = #expect(throws: ServiceError.self) { try read(broken.text) }
    #expect(error?.code == .configuration)
    #expect(error?.detail?.hasPrefix("/etc/atrium/config.yaml\(broken.place): ") == true, "\(error?.detail ?? "")")
    #expect(error?.detail?.contains(broken.words) == true, "\(error?.detail ?? "")")
  }

  @Test func `a missing file is empty unless somebody named it`() throws {
    let directory = try TemporaryDirectory()
    #expect(try Configuration.load(directory.file("none.yaml"), mustExist: false).connections.isEmpty)
    let error = #expect(throws: ServiceError.self) {
      try Configuration.load(directory.file("none.yaml"), mustExist: true)
    }
    #expect(error?.code == .configuration)
  }

  @Test func `an unknown connection is answered with those there are`() throws {
    let configuration = try read("connections:\n- { name: bank, kind: openbank }\n")
    let error = #expect(throws: ServiceError.self) { try configuration.requiredConnection(named: "bnak") }
    #expect(error?.code == .notFound)
    #expect(error?.remedy?.contains("Did you mean bank?") == true)
  }
}
