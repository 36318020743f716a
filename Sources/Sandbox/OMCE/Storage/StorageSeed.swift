/// The objects that a collection starts with, each a function of its index.
struct StorageSeed: Sendable {
  let setting: DoorSetting
  let users: [OMCUser]

  func count(_ collection: StorageCollection) -> Int {
    switch collection.id {
    case "Big": setting.options.objects
    case "FieldPhotos": 3 + photoCount
    case "PublicDocs": 3
    case "MyNotes": noteCount * 3
    case "Names": City.awkwardLabelCount + 4
    case "Archive": Self.archive.count
    default: 0
    }
  }

  private var photoCount: Int { 9 }
  private var noteCount: Int { 7 }
  private static let archive = [("panorama.bin", 64 << 20), ("tape-1GiB.bin", 1 << 30), ("ledger.bin", 5 << 20)]

  /// The n-th object; ids of `Big` rise with the index, so its natural order needs no sorting.
  func object(_ index: Int, in collection: StorageCollection) -> StorageObject {
    var random = setting.random("mobile/storage/\(collection.id)", index: index)
    var id = random.uuid()
    var author = index % 3 == 1 ? "bert" : "ada"
    var owner: String?
    let made: (name: String, type: String, content: StorageContent)
    switch collection.id {
    case "Big":
      id = "reading-\(SandboxTime.padded(index, 7))"
      made = reading(index)
    case "FieldPhotos", "PublicDocs": made = photo(index, &random)
    case "MyNotes":
      let user = users[[0, 1, 3][index % 3]]
      (owner, author) = (user.id, user.username)
      made = note(index)
    case "Names": made = awkward(index)
    default:
      let (name, size) = Self.archive[index]
      id = name
      made = (name, "application/octet-stream", .noise(seed: random.next(), count: size))
    }
    let created = DoorSetting.present.adding(seconds: -random.below(200 * 86_400))
    let version = random.number(in: 1...3)
    return StorageObject(
      id: id, owner: owner, name: made.name.isEmpty ? id : made.name, contentType: made.type, version: version,
      createdBy: author, createdOn: created, modifiedBy: version == 1 ? author : "tess",
      modifiedOn: version == 1 ? created : created.adding(seconds: random.below(86_400)), content: made.content)
  }

  private typealias Made = (name: String, type: String, content: StorageContent)

  private func reading(_ index: Int) -> Made {
    let town = setting.city.place(index)
    let kind = ["pump", "valve", "sensor", "gate"][index % 4]
    let text = #"{"station":"\#(town.town)","kind":"\#(kind)","value":\#(index * 37 % 1_000)}"#
    return ("\(kind) \(index).json", "application/json", .bytes(Array(text.utf8)))
  }

  private func photo(_ index: Int, _ random: inout SeededRandom) -> Made {
    switch index {
    case 0: return ("pump 7.jpg", "image/jpeg", .jpeg(Picture(seed: random.next()), count: 20_480))
    case 1: return ("readings.json", "application/json", .bytes(Array(#"{"pump":7,"bar":[4.1,4.25,3.9]}"#.utf8)))
    case 2: return ("empty.txt", "text/plain", .bytes([]))
    default:
      let name = "\(setting.city.words(2, "mobile/photo", index: index)).png"
      return (name, "image/png", .png(Picture(seed: random.next())))
    }
  }

  private func note(_ index: Int) -> Made {
    let text = setting.city.text(sentences: 3 + index % 5, "mobile/note", index: index)
    return ("note \(index / 3 + 1).txt", "text/plain; charset=utf-8", .bytes(Array(text.utf8)))
  }

  private func awkward(_ index: Int) -> Made {
    let twins = ["twin.txt", "twin.txt", "100% sûr.txt", "日本語 ファイル.txt"]
    let name = index < twins.count ? twins[index] : setting.city.awkwardLabel(index - twins.count)
    return (name, "text/plain", .bytes(Array("Object \(index) of the hard names.\n".utf8)))
  }
}
