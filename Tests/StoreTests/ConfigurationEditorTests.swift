import Model
import TestKit
import Testing

@testable import Store

private let text = """
  # My connections.
  theme: dusk   # for the evening
  connections:
    # The bank.
    - name: bank
      kind: openbank
      url: https://bank.example   # production!
      auth:
        user: susan  # me
    # Documents.
    - name: docs
      kind: alfresco
      url: https://docs.example
  # The end.

  """

private func edited(
  _ text: String = text, _ edit: (ConfigurationEditor) throws -> [UInt8]
) throws -> String {
  String(decoding: try edit(ConfigurationEditor(Array(text.utf8), path: "config.yaml")), as: UTF8.self)
}

@Suite struct ConfigurationEditorTests {
  @Test func `an added connection stands last, and comments stay`() throws {
    let result = try edited {
      try $0.adding("field", .unwired, [("url", .text("https://f.example")), ("auth.user", .text("ada"))])
    }
    let expected = text.replacing(
      "    url: https://docs.example\n",
      with: """
            url: https://docs.example
          - name: field
            kind: unwired
            url: "https://f.example"
            auth:
              user: ada

        """)
    #expect(result == expected)
  }

  @Test(arguments: [
    "", "theme: dusk\n", "theme: dusk", "connections:\n", "connections: []\n", "theme: a\nconnections:\n\n",
  ])
  func `the first connection can be added`(to text: String) throws {
    let result = try edited(text) { try $0.adding("a", .omce, [("plist", .text("OMC.plist"))]) }
    let configuration = try Configuration(parsing: Array(result.utf8), path: "config.yaml")
    #expect(configuration.connections.map(\.name) == ["a"])
    #expect(try configuration.connections[0].settings.text("plist") == "OMC.plist")
  }

  @Test func `a connection can be added to JSON`() throws {
    let result = try edited(#"{"connections": [{"name": "a", "kind": "omce"}]}"#) { try $0.adding("b", .omce, []) }
    #expect(result == #"{"connections": [{"name": "a", "kind": "omce"}, { name: b, kind: omce }]}"#)
  }

  @Test func `a removed connection takes its lines and no others`() throws {
    let result = try edited { try $0.removing("bank") }
    #expect(!result.contains("name: bank"))
    #expect(result.contains("# My connections."))
    #expect(result.contains("# Documents.\n  - name: docs\n"))
    let rest = try edited(result) { try $0.removing("docs") }
    #expect(try Configuration(parsing: Array(rest.utf8), path: "c").connections.isEmpty)
    #expect(rest.contains("# The end."))
  }

  @Test func `a changed setting keeps the comment behind it`() throws {
    let result = try edited { try $0.setting("url", of: "bank", to: .text("https://new.example")) }
    #expect(result == text.replacing("https://bank.example  ", with: "\"https://new.example\"  "))
  }

  @Test func `a nested setting is changed where it stands, and added where it is missing`() throws {
    #expect(
      try edited { try $0.setting("auth.user", of: "bank", to: .text("ada")) }
        == text.replacing("user: susan", with: "user: ada"))
    #expect(
      try edited { try $0.setting("auth.password", of: "bank", to: .secret(.environment("P"))) }
        == text.replacing("# me\n", with: "# me\n      password: { env: P }\n"))
    let result = try edited { try $0.setting("auth.user", of: "docs", to: .text("ada")) }
    let docs = try Configuration(parsing: Array(result.utf8), path: "c").requiredConnection(named: "docs")
    #expect(try docs.settings.text("auth.user") == "ada")
  }

  @Test func `a removed setting takes its line`() throws {
    #expect(
      try edited { try $0.setting("url", of: "docs", to: nil) }
        == text.replacing("    url: https://docs.example\n", with: ""))
    #expect(try edited { try $0.setting("proxy", of: "docs", to: nil) } == text)
  }

  @Test func `a broken file is not edited`() {
    #expect(throws: ServiceError.self) { try ConfigurationEditor(Array("connections: [".utf8), path: "c") }
  }

  @Test func `an edit that would break the file is refused`() throws {
    let error = #expect(throws: ServiceError.self) {
      try edited { try $0.setting("timeout", of: "bank", to: .text("soon")) }
    }
    #expect(error?.code == .configuration)
  }

  @Test func `a setting that nobody knows is refused with the nearest one`() throws {
    let error = #expect(throws: ServiceError.self) {
      try edited { try $0.setting("timeuot", of: "bank", to: .number(3)) }
    }
    #expect(error?.code == .usage)
    #expect(error?.detail?.contains("did you mean “timeout”?") == true)
  }

  @Test func `the file is written for its owner alone, and its directory made`() throws {
    let directory = try TemporaryDirectory()
    let file = ConfigurationFile(directory.file("a/b/config.yaml"))
    try file.change { editor throws(ServiceError) in try editor.adding("a", .omce, []) }
    #expect(directory.text("a/b/config.yaml") == "connections:\n  - name: a\n    kind: omce\n")
    #expect(try mode(of: file.path) == 0o600)
    #expect(try mode(of: directory.file("a")) == 0o700)
  }
}
