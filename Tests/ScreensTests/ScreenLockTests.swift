import Model
import TestKit
import Testing

@testable import Screens

@Suite struct ScreenLockTests {
  private static func locked(_ info: VaultInfo = VaultSamples.open) -> Stage {
    var stage = Stage()
    stage.openAccounts()
    stage.press(.character("Z"))
    stage.reply(.vault(info))
    return stage
  }

  static let scenes: [GoldenTests.Scene] =
    GoldenTests.scenes("lock") { stage in
      stage.press(.character("Z"))
      stage.reply(.vault(VaultSamples.locked))
      stage.type("123")
    }

  @Test(arguments: scenes)
  func `a screen looks as recorded`(_ scene: GoldenTests.Scene) {
    var stage = Stage(scene.size, connections: scene.connections)
    scene.play(&stage)
    expectScreen(stage.app.render(), golden: "\(scene.name)-\(scene.size.columns)x\(scene.size.rows)")
  }

  @Test func `a locked screen shows nothing and takes no command`() {
    var stage = Self.locked()
    #expect(!stage.text.contains("Everyday") && !stage.text.contains("bank"))
    #expect(stage.app.takesSecret)
    stage.press(.character("q"), .escape, .character(":"))
    stage.point(Mouse(.press, column: 3, row: 3))
    #expect(stage.app.lock != nil)
    #expect(stage.app.top is ListingScreen)
  }

  @Test func `the right PIN shows the screen as it was`() {
    var stage = Self.locked()
    stage.type("1234")
    #expect(!stage.text.contains("1234"))
    stage.press(.enter)
    #expect(stage.orders.last == .unlock(Secret("1234")))
    stage.reply(.vault(VaultSamples.open))
    #expect(stage.app.lock == nil)
    #expect(stage.text.contains("Everyday"))
  }

  @Test func `a wrong PIN says so and asks again`() {
    var stage = Self.locked()
    stage.type("9")
    stage.press(.enter)
    stage.reply(
      .failure(ServiceError(.signInRefused, "unlock the vault", detail: "the PIN is wrong, 2 tries are left")))
    stage.reply(.vault(VaultSamples.open))
    #expect(stage.text.contains("2 tries are left"))
    #expect(stage.app.lock != nil)
  }

  @Test func `when the last try has deleted the vault the program ends`() {
    var stage = Self.locked()
    stage.type("9")
    stage.press(.enter)
    stage.reply(.failure(ServiceError(.signInRefused, "unlock the vault", detail: "the vault was deleted")))
    stage.reply(.vault(VaultInfo(name: "default", state: .absent)))
    #expect(stage.effects.contains { if case .quit = $0 { true } else { false } })
    #expect(!stage.text.contains("Everyday"))
  }

  @Test func `without a vault there is nothing to ask for, and it says so`() {
    var stage = Self.locked(VaultInfo(name: "default", state: .absent))
    #expect(stage.text.contains("there is no vault yet"))
    stage.press(.character("j"))
    #expect(stage.app.lock == nil)
  }

  @Test func `the screen locks after a while without a key, and each key puts it off`() {
    var stage = Stage(lockAfter: 60_000)
    stage.openAccounts()
    stage.wait(milliseconds: 50_000)
    stage.press(.down)
    stage.wait(milliseconds: 50_000)
    #expect(stage.app.lock == nil)
    #expect(stage.app.deadline != nil)
    stage.wait(milliseconds: 10_000)
    #expect(stage.app.lock != nil)
    stage.reply(.vault(VaultSamples.open))
    #expect(stage.app.deadline == nil)
  }

  @Test func `a question that comes meanwhile waits behind the lock`() {
    var stage = Self.locked()
    stage.ask(GoldenTests.login)
    #expect(stage.app.overlays.count == 1)
    #expect(!stage.text.contains("Password"))
  }

  @Test func `Ctrl-C twice ends a locked program`() {
    var stage = Self.locked()
    stage.press(.control("c"), .control("c"))
    #expect(stage.effects.contains { if case .quit = $0 { true } else { false } })
  }
}
