/// The invented city that all five servers describe: the same person has an account, a home folder and a device.
///
/// Nothing is held: each resident, street and company is a function of the seed and an index, for any index.
package struct City: Sendable {
  package let seed: UInt64

  package init(seed: UInt64) { self.seed = seed }

  /// A resident.
  package struct Person: Sendable, Equatable {
    package let index: Int
    /// As the person writes it, in the person's own script.
    package let name: String
    package let given: String
    package let family: String
    /// Lower-case ASCII, unique over all indices.
    package let login: String
    package let email: String
    package let phone: String
    package let street: String
    package let town: String
    package let country: String
    /// `YYYY-MM-DD`.
    package let born: String
    package let occupation: String
    /// Two sentences about the person.
    package let bio: String
  }

  /// Whoever signs in unattended: always the same person, whatever the seed.
  package var host: Person { person(0) }

  package func person(_ index: Int) -> Person {
    var random = SeededRandom(seed: seed, "person", index: index)
    let script = random.chance(60) ? Script.latin : random.pick(Script.all)
    var given = random.pick(script.given)
    var family = random.pick(script.family)
    if index == 0 { (given, family) = (("Susan", "susan"), ("Müller", "muller")) }
    let login = index == 0 ? "susan" : "\(given.ascii).\(family.ascii)\(index)"
    let place = random.pick(Places.towns)
    let occupation = random.pick(Words.occupations)
    let born = SandboxTime(year: 1941, month: 1, day: 1).adding(days: random.below(23_000)).isoDate
    let fullName = script.familyFirst && index != 0 ? family.own + given.own : "\(given.own) \(family.own)"
    let hobby = random.pick(Words.hobbies)
    return Person(
      index: index, name: fullName, given: given.own, family: family.own, login: login,
      email: "\(login)@\(random.pick(Words.mailHosts))", phone: "\(place.dialing) \(random.text(8, from: "23456789"))",
      street: street(&random), town: place.town, country: place.country, born: born, occupation: occupation,
      bio: "\(given.own) works as \(occupation) in \(place.town). Spends weekends \(hobby)."
    )
  }

  /// A company, shop or office; names are not unique, as in life.
  package func company(_ index: Int) -> String {
    var random = SeededRandom(seed: seed, "company", index: index)
    if random.chance(12) { return random.pick(Words.foreignCompanies) }
    return "\(random.pick(Words.companyFirst)) \(random.pick(Words.companySecond)) \(random.pick(Words.companyForms))"
  }

  package func street(_ index: Int) -> String {
    var random = SeededRandom(seed: seed, "street", index: index)
    return street(&random)
  }

  /// A town with its country, dialling code and position.
  package func place(_ index: Int) -> Places.Place {
    var random = SeededRandom(seed: seed, "place", index: index)
    return random.pick(Places.towns)
  }

  /// A few plain words, such as a title or a description.
  package func words(_ count: Int, _ name: String, index: Int = 0) -> String {
    var random = SeededRandom(seed: seed, "words/\(name)", index: index)
    return (0..<count).map { _ in random.pick(Words.plain) }.joined(separator: " ")
  }

  /// Running text of a number of sentences, for documents and comments.
  package func text(sentences: Int, _ name: String, index: Int = 0) -> String {
    var random = SeededRandom(seed: seed, "text/\(name)", index: index)
    let made = (0..<sentences).map { _ in
      let words = (0..<random.number(in: 5...14)).map { _ in random.pick(Words.plain) }.joined(separator: " ")
      return words.prefix(1).uppercased() + words.dropFirst() + "."
    }
    return made.joined(separator: " ")
  }

  /// A label as it must be expected and is never wished for: controls, overrides, every script, emptiness, great length.
  package func awkwardLabel(_ index: Int) -> String { Words.awkward[index % Words.awkward.count] }

  package static var awkwardLabelCount: Int { Words.awkward.count }

  private func street(_ random: inout SeededRandom) -> String {
    "\(random.pick(Words.streets)) \(random.number(in: 1...180))"
  }
}
