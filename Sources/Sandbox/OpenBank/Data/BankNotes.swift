/// Something a user noted at a time: a comment or a tag.
struct BankNote: Sendable {
  let id: String
  let value: String
  let date: SandboxTime
  let user: BankUser
}

struct BankImage: Sendable {
  let id: String
  let label: String
  let url: String
  let date: SandboxTime
  let user: BankUser
}

/// A position in degrees, and who put it there.
struct BankPlace: Sendable {
  let latitude: Double
  let longitude: Double
  let date: SandboxTime
  let user: BankUser
}

/// What people have added to a transaction.
struct TransactionNotes: Sendable {
  var narrative: String?
  var comments: [BankNote] = []
  var tags: [BankNote] = []
  var images: [BankImage] = []
  var place: BankPlace?

  init() {}

  /// The notes that a generated transaction starts with: some of each kind, here and there.
  init(_ transaction: BankTransaction, of account: BankAccount, data: BankData) {
    guard let index = account.ledger.index(id: transaction.id) else { return }
    var random = data.setting.random("bank/notes/\(account.index)", index: account.ledger.count - index)
    let date = transaction.completed.adding(seconds: 3_600)
    let user = data.owner
    let city = data.setting.city
    if index % 7 == 3 { narrative = city.words(3, "bank/narrative", index: index) }
    if index % 5 == 2 {
      tags = [BankNote(id: random.uuid(), value: random.pick(Self.tagWords), date: date, user: user)]
    }
    if index % 11 == 4 {
      let text = city.text(sentences: 1, "bank/comment", index: index)
      comments = [BankNote(id: random.uuid(), value: text, date: date, user: user)]
    }
    if index % 29 == 6 {
      let url = "https://images.example/receipt-\(index).png"
      images = [BankImage(id: random.uuid(), label: "receipt", url: url, date: date, user: user)]
    }
    if index % 31 == 1 {
      let town = city.place(index)
      place = BankPlace(latitude: town.latitude, longitude: town.longitude, date: date, user: user)
    }
  }

  private static let tagWords = ["food", "rent", "travel", "家計", "gift", "tax 2026", "réparation"]
}

/// What people have added to the other side of transactions.
struct PartyNotes: Sendable {
  var publicAlias: String?
  var privateAlias: String?
  var moreInfo: String?
  var url: String?
  var imageURL: String?
  var openCorporatesURL: String?
  var corporateLocation: BankPlace?
  var physicalLocation: BankPlace?

  init(_ party: OtherParty, data: BankData) {
    if party.index >= 0 && party.index % 7 == 3 {
      privateAlias = "Corner shop"
      publicAlias = "ALIAS_\(party.id.prefix(4).uppercased())"
    }
    if party.index == 4 {
      moreInfo = "Opens late on Thursdays"
      let town = data.setting.city.place(4)
      physicalLocation = BankPlace(
        latitude: town.latitude, longitude: town.longitude, date: DoorSetting.present, user: data.owner)
    }
  }
}
