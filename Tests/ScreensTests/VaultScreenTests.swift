import Model
import TestKit
import Testing

@testable import Screens

enum VaultSamples {
  static let path = "/home/ada/.local/share/atrium/default.vault"

  static let locked: VaultInfo = {
    var policy = VaultPolicy()
    policy.needsDigit = true
    policy.needsUpper = true
    policy.minUniqueCharacters = 5
    return VaultInfo(
      name: "default", path: path, state: .locked, policy: policy, triesLeft: 3,
      pinExpires: Samples.now.adding(seconds: 12 * 86_400))
  }()

  static let open: VaultInfo = {
    var info = VaultInfo(name: "default", path: path, state: .unlocked, triesLeft: 20)
    info.entries = [
      VaultInfo.Entry(name: "bank/token", isText: true), VaultInfo.Entry(name: "field/encryption-key", isText: true),
      VaultInfo.Entry(name: "結希/\u{1B}[31mkey", isText: true), VaultInfo.Entry(name: "raw", isText: false),
    ]
    return info
  }()
}

extension Stage {
  /// Runs a command by its name, as from `:`.
  mutating func run(_ name: String) {
    press(.character(":"), .control("u"))
    type(name)
    press(.enter)
  }

  mutating func showVault(_ info: VaultInfo) {
    run("vault")
    reply(.vault(info))
  }

  var orders: [VaultOrder] {
    asked.compactMap { if case .vault(let order) = $0.request { order } else { nil } }
  }
}

@Suite struct VaultScreenTests {
  static let scenes: [GoldenTests.Scene] =
    GoldenTests.scenes("vault-absent") { $0.showVault(VaultInfo(name: "default", state: .absent)) }
    + GoldenTests.scenes("vault-locked") { $0.showVault(VaultSamples.locked) }
    + GoldenTests.scenes("vault-open") {
      $0.showVault(VaultSamples.open)
      $0.press(.down, .down, .down, .down)
    }
    + GoldenTests.scenes("vault-create") {
      $0.showVault(VaultInfo(name: "default", state: .absent))
      $0.press(.enter)
      $0.type("correct")
    }
    + GoldenTests.scenes("vault-unlock") {
      $0.showVault(VaultSamples.locked)
      $0.press(.enter)
    }
    + GoldenTests.scenes("vault-forget") {
      $0.showVault(VaultSamples.open)
      $0.press(.end, .delete)
    }
    + GoldenTests.scenes("vault-elsewhere") {
      $0.showVault(VaultInfo(name: "the Secret Service", state: .elsewhere("the Secret Service")))
    }
    + GoldenTests.scenes("vault-damaged") {
      $0.showVault(
        VaultInfo(
          name: "default", path: VaultSamples.path, state: .damaged("the vault file is damaged: it is cut short"))
      )
    }

  @Test(arguments: scenes) func `a vault looks as recorded`(_ scene: GoldenTests.Scene) {
    var stage = Stage(scene.size, connections: scene.connections)
    scene.play(&stage)
    expectScreen(stage.app.render(), golden: "\(scene.name)-\(scene.size.columns)x\(scene.size.rows)")
  }

  @Test func `a new PIN is typed twice, shown never, and held against the rules`() {
    var stage = Stage()
    stage.showVault(VaultInfo(name: "default", state: .absent))
    stage.press(.enter)
    #expect(stage.text.contains("at least 8 characters"))
    stage.type("short")
    stage.press(.tab)
    stage.type("short")
    stage.press(.enter)
    #expect(stage.text.contains("must have at least 8 characters"))
    stage.press(.enter)
    stage.type("correct horse")
    stage.press(.tab)
    stage.type("correct house")
    #expect(!stage.text.contains("correct"))
    stage.press(.enter)
    #expect(stage.text.contains("not the same"))
    #expect(stage.orders == [.look])
    stage.press(.enter)
    stage.type("correct horse")
    stage.press(.tab)
    stage.type("correct horse")
    stage.press(.enter)
    #expect(stage.orders == [.look, .create(Secret("correct horse"))])
    stage.reply(.vault(VaultSamples.open))
    #expect(stage.text.contains("Created the vault"))
  }

  @Test func `a wrong PIN is told with the tries left, which are looked up anew`() {
    var stage = Stage()
    stage.showVault(VaultSamples.locked)
    stage.press(.enter)
    stage.type("wrong")
    stage.press(.enter)
    #expect(stage.orders == [.look, .unlock(Secret("wrong"))])
    stage.reply(.failure(ServiceError(.vaultLocked, "unlock the vault", detail: "the PIN is wrong; 2 tries are left")))
    #expect(stage.text.contains("the PIN is wrong"))
    var info = VaultSamples.locked
    info.triesLeft = 2
    stage.reply(.vault(info))
    stage.wait(milliseconds: 10_000)
    #expect(stage.text.contains("2 of 20; then everything in it is deleted"))
  }

  @Test func `changing the PIN asks for the old one, unless there is none`() {
    for (hasNoPIN, old) in [(false, "old-old-old"), (true, "")] {
      var stage = Stage()
      var info = VaultSamples.open
      info.hasNoPIN = hasNoPIN
      stage.showVault(info)
      stage.press(.down, .enter)
      if !hasNoPIN {
        stage.type(old)
        stage.press(.tab)
      }
      stage.type("new-new-new")
      stage.press(.tab)
      stage.type("new-new-new")
      stage.press(.enter)
      #expect(stage.orders.last == .changePIN(old: Secret(old), new: Secret("new-new-new")))
    }
  }

  @Test func `what destroys asks first, and cancelling is what Enter says`() {
    var stage = Stage()
    stage.showVault(VaultSamples.open)
    stage.press(.down, .down, .enter, .enter)
    #expect(stage.orders == [.look])
    stage.press(.enter, .tab, .enter)
    #expect(stage.orders == [.look, .destroy])
    stage.reply(.vault(VaultInfo(name: "default", state: .absent)))
    stage.press(.home, .down, .enter)
    #expect(stage.text.contains("Whoever may read its file can open it"))
  }

  @Test func `locking is one key, and values are in no place of the screen`() {
    var stage = Stage()
    stage.showVault(VaultSamples.open)
    stage.press(.enter)
    #expect(stage.orders.last == .lock)
    stage.reply(.vault(VaultSamples.locked))
    #expect(stage.text.contains("locked, for every process"))
    #expect(!stage.text.contains("bank/token"))
  }
}
