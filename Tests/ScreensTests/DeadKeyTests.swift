import Model
import Testing

@testable import Screens

/// Every key of the table does something or says why not, wherever it is pressed.
@Suite struct DeadKeyTests {
  struct Setting: CustomTestStringConvertible, Sendable {
    let name: String
    let make: @Sendable () -> Stage
    var testDescription: String { name }
  }

  /// Keys that may find nothing to do: those that move stand at an end, and others wait for what is not there.
  private static let quiet: Set<Command> = [
    .up, .down, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .first, .last, .back, .fold, .unfold, .mouse,
  ]

  private static func stage(_ act: (inout Stage) -> Void) -> Stage {
    var stage = Stage()
    act(&stage)
    return stage
  }

  static let settings: [Setting] = [
    Setting(name: "hall") { Stage() },
    Setting(name: "list") {
      stage {
        $0.open(Samples.accounts, .listing)
        $0.reply(.listing(Samples.accountListing(), isFinal: true))
      }
    },
    Setting(name: "empty list") {
      stage {
        $0.open(Samples.accounts, .listing)
        $0.reply(.listing(Listing(Samples.accounts, title: "Accounts", columns: [], rows: []), isFinal: true))
      }
    },
    Setting(name: "list that failed") {
      stage {
        $0.open(Samples.accounts, .listing)
        $0.reply(.failure(ServiceError(.unreachable, "load the accounts")))
      }
    },
    Setting(name: "item") {
      stage {
        $0.open(Samples.accounts.appending("81002204"), .item)
        $0.reply(.item(Samples.accountItem, isFinal: true))
      }
    },
    Setting(name: "answer") {
      stage {
        $0.open(Samples.accounts.appending("81002204"), .item)
        $0.reply(.item(Samples.accountItem, isFinal: true))
        $0.press(.character("i"))
      }
    },
    Setting(name: "exchanges") {
      stage {
        $0.press(.character("x"))
        $0.reply(.exchanges(Samples.exchanges))
      }
    },
    Setting(name: "exchange") {
      stage {
        $0.press(.character("x"))
        $0.reply(.exchanges(Samples.exchanges))
        $0.press(.enter)
        $0.reply(.exchange(Samples.exchanges[1]))
      }
    },
    Setting(name: "transfers") { stage { $0.press(.character("t")) } },
    Setting(name: "vault") { stage { $0.showVault(VaultSamples.open) } },
    Setting(name: "no vault") { stage { $0.showVault(VaultInfo(name: "default", state: .absent)) } },
    Setting(name: "sync") { stage { $0.showSync() } },
    Setting(name: "nothing to sync") { stage { $0.run("sync") } },
    Setting(name: "messages") { stage { $0.press(.character("M")) } },
    Setting(name: "help") { stage { $0.press(.character("?")) } },
  ]

  @Test(arguments: settings) func `no key is dead`(_ setting: Setting) {
    let keys = Set(KeyMap.standard.rows.flatMap(\.keys)).union([.character("Y"), .character("-"), .function(9)])
    for key in keys {
      var stage = setting.make()
      let place = stage.app.top?.place ?? .everywhere
      if let command = KeyMap.standard.command(for: key, in: place), Self.quiet.contains(command) { continue }
      let before = (stage.text, stage.effects.count)
      stage.press(key)
      #expect(stage.text != before.0 || stage.effects.count > before.1, "\(key.sign) does nothing and says nothing")
    }
  }

  @Test func `a key that means nothing here says where to look, and no message keeps it`() {
    var stage = Stage()
    stage.press(.character("Y"))
    #expect(stage.text.contains("Y does nothing here; ? shows the keys that work"))
    #expect(stage.app.messages.isEmpty)
  }
}
