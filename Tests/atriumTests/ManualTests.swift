import Model
import Stage
import Store
import TestKit
import Testing

@testable import atrium

@Suite struct ManualTests {
  @Test func `the program's page names every command and option`() {
    let page = Manual.page("atrium", CommandTable.all).roff(version: "1")
    for command in CommandTable.all where command.isListed {
      #expect(page.contains(".SS \(command.name)\n"))
      for option in command.options { #expect(page.contains("\\-\\-\(option.name.replacing("-", with: "\\-"))")) }
    }
  }

  @Test func `every setting is explained`() {
    let entries = SettingsManual.top + SettingsManual.common + BackendKind.allCases.flatMap(SettingsManual.own)
    for entry in entries { #expect(!entry.help.isEmpty, "Store/SettingsManual says nothing about \(entry.path)") }
    #expect(SettingsManual.common.map(\.path).contains("tls.ca"))
    #expect(SettingsManual.own(.alfresco).map(\.path).contains("auth.method"))
  }

  @Test func `the tape's page names every command of a tape`() {
    let page = Manual.page("atrium-tape", CommandTable.all).markdown
    for command in TapeCommand.all { #expect(page.contains("- `\(command.name)")) }
  }

  @Test(arguments: Manual.names) func `no line of a page is a request by accident`(_ name: String) {
    let requests = ["TH", "SH", "SS", "PP", "TP", "nf", "fi"]
    for line in Manual.page(name, CommandTable.all).roff(version: "1").split(separator: "\n") {
      #expect(!line.hasPrefix("'"))
      if line.hasPrefix(".") { #expect(requests.contains(String(line.dropFirst().prefix { $0 != " " })), "\(line)") }
    }
  }
}
