import Testing

@testable import Sandbox

@Suite struct CityTests {
  @Test func `equal seeds give equal people and other seeds give others`() {
    let people = (0..<200).map { City(seed: 7).person($0) }
    #expect(people == (0..<200).reversed().map { City(seed: 7).person($0) }.reversed())
    #expect(people.dropFirst() != (1..<200).map { City(seed: 8).person($0) }[...])
  }

  @Test func `logins are unique and plain`() {
    let logins = (0..<5_000).map { City(seed: 1).person($0).login }
    #expect(Set(logins).count == logins.count)
    #expect(
      logins.allSatisfy {
        $0.utf8.allSatisfy { (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2e }
      })
  }

  @Test func `the host is the same whatever the seed`() {
    #expect(City(seed: 1).host.login == "susan")
    #expect(City(seed: 99).host.name == "Susan Müller")
  }

  @Test func `many scripts live in the city`() {
    let names = (0..<400).map { City(seed: SandboxOptions.standardSeed).person($0).name }
    for script in ["\u{400}"..."\u{4FF}", "\u{5D0}"..."\u{5EA}", "\u{620}"..."\u{64A}", "\u{4E00}"..."\u{9FFF}"]
      as [ClosedRange<Unicode.Scalar>]
    {
      #expect(names.contains { $0.unicodeScalars.contains(where: script.contains) })
    }
  }

  @Test func `secrets are long and differ by name and seed`() {
    var first = SeededRandom(seed: 1, "bank/secret")
    var second = SeededRandom(seed: 1, "docs/secret")
    var third = SeededRandom(seed: 2, "bank/secret")
    let secrets = [first.secret(), second.secret(), third.secret(4)]
    #expect(Set(secrets).count == 3)
    #expect(secrets.allSatisfy { $0.count >= 12 })
  }
}
