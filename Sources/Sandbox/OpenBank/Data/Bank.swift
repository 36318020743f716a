/// One of the city's banks.
struct Bank: Sendable {
  let index: Int
  /// Dotted, as real servers have them.
  let id: String
  let shortName: String
  let fullName: String
  let bic: String
  /// ISO 3166-1 alpha-2, and the first two letters of its IBANs.
  let country: String
  /// Currencies of its accounts; the first one is its own.
  let currencies: [String]
  let logo: String?
  let website: String?

  /// The last one has no accounts at all.
  static let all: [Bank] = [
    Bank(
      index: 0, id: "kiln.01.fi", shortName: "Kiln", fullName: "Kiln Savings Bank", bic: "KILNFIHH", country: "FI",
      currencies: ["EUR"], logo: "https://kiln.example/logo.png", website: "https://kiln.example"),
    Bank(
      index: 1, id: "thistle.02.gb", shortName: "Thistle", fullName: "The Thistle & Burn Bank", bic: "THBUGB2L",
      country: "GB", currencies: ["GBP"], logo: nil, website: "https://thistle.example"),
    Bank(
      index: 2, id: "sakura.03.jp", shortName: "さくら", fullName: "さくら信用金庫", bic: "SAKUJPJT", country: "JP",
      currencies: ["JPY"], logo: "https://sakura.example/logo.png", website: nil),
    Bank(
      index: 3, id: "alnoor.04.kw", shortName: "النور", fullName: "بنك النور", bic: "NOORKWKW", country: "KW",
      currencies: ["KWD", "OMR"], logo: nil, website: nil),
    Bank(
      index: 4, id: "alpen.05.ch", shortName: "Alpenbank", fullName: "Alpenbank Zürich AG", bic: "ALPZCHZZ",
      country: "CH", currencies: ["CHF", "EUR"], logo: nil, website: "https://alpen.example"),
    Bank(
      index: 5, id: "rainbow.06.eu", shortName: "Rainbow", fullName: "Rainbow Bank 🌈", bic: "RNBWDEFF", country: "DE",
      currencies: ["USD", "SEK", "CZK", "KRW"], logo: "https://rainbow.example/r.svg",
      website: "https://rainbow.example"),
    Bank(
      index: 6, id: "quiet.07.is", shortName: "Quiet", fullName: "The Quiet Bank", bic: "QUIEISRE", country: "IS",
      currencies: ["EUR"], logo: nil, website: nil),
  ]

  /// Banks that hold accounts.
  static let holding = Array(all.dropLast())
}
