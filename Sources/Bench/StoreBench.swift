import Crypto
import Glibc
import JSON
import Model
import Service
import Store

/// The vault and the encrypted store: from the PIN to the first rows, and a search through all of them.
///
/// scrypt is meant to be slow, and stands by itself: the unlocking that is measured here uses its smallest cost.
enum StoreBench {
  static func run(_ scale: Scale) async throws {
    var template = Array("/tmp/atrium-bench-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Broken("no temporary directory can be made") }
    let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { remove(directory) }
    let (pin, key) = (Secret("bench-pin-2468"), Secret(Hex.encode(SystemRandom.bytes(32))))
    try Vault(name: "bench", directory: directory, clock: SystemClock()).create(pin: pin, cost: VaultCost(logN: 1))
    let path = FilePath.joined(directory, "bench.store")
    try fill(OfflineStore(path: path, key: key), rows: scale(100_000, quick: 200))
    try measure(scale, directory, path, pin, key)
  }

  private static func measure(
    _ scale: Scale, _ directory: String, _ path: String, _ pin: Secret, _ key: Secret
  ) throws {
    var (stretching, opening) = (Samples("store.scrypt us"), Samples("store.firstRow us"))
    var (search, rare) = (Samples("store.search us"), Samples("store.sorted us"))
    for _ in 0..<scale.runs {
      let password = pin.withUTF8 { Array($0) }
      stretching.add(
        try microseconds {
          let cost = VaultCost.interactive
          _ = try Scrypt.deriveLocked(
            password: password, salt: SystemRandom.bytes(16), n: 1 << cost.logN, r: cost.r, p: cost.p, length: 32)
        })
      opening.add(
        try microseconds {
          try Vault(name: "bench", directory: directory, clock: SystemClock()).unlock(pin: pin)
          let store = try OfflineStore(path: path, key: key)
          guard try store.page(of: customers(store), OfflineQuery(limit: 50)).rows.count == 50 else {
            throw Broken("the first rows are missing")
          }
        })
      let store = try OfflineStore(path: path, key: key)
      let set = try customers(store)
      let words = OfflineQuery(filters: [OfflineQuery.Filter("name", .text, contains: "müller 77")], limit: 50)
      search.add(try microseconds { _ = try store.page(of: set, words) })
      let order = OfflineQuery(sort: OfflineQuery.Sort("city", .text, isDescending: false), limit: 50)
      rare.add(try microseconds { _ = try store.page(of: set, order) })
    }
    for samples in [stretching, opening, search, rare] { samples.report() }
  }

  private static func customers(_ store: OfflineStore) throws -> OfflineSet {
    guard let set = try store.set(named: "Customers") else { throw Broken("the set is missing") }
    return set
  }

  private static func fill(_ store: OfflineStore, rows: Int) throws {
    var download = OfflineDownload(try store.madeSet(named: "Customers"), isWhole: true, of: store)
    let names = ["Ada Müller", "Susan Okafor", "企業口座", "Zoë Martin", "Grace Lindqvist"]
    let cities = ["Wien", "Lagos", "大阪", "Bruxelles", "Uppsala", "Graz", "Porto"]
    for start in stride(from: 0, to: rows, by: 1_000) {
      try download.add(
        (start..<min(start + 1_000, rows)).map { index in
          OfflineRow(
            key: String(index), tag: "W/\"\(index)\"",
            properties: [
              JSONNode.Member(key: "id", value: .int(index)),
              JSONNode.Member(key: "name", value: .string("\(names[index % names.count]) \(index)")),
              JSONNode.Member(key: "city", value: .string(cities[index * 31 % cities.count])),
              JSONNode.Member(key: "mail", value: .string("customer\(index)@example.org")),
              JSONNode.Member(key: "balance", value: .number("\(index * 37 % 100_000).50")),
              JSONNode.Member(key: "active", value: .bool(index % 3 > 0)),
            ])
        })
    }
    try store.keep([download])
  }

  private static func remove(_ directory: String) {
    for name in Files.names(in: directory) { unlink(FilePath.joined(directory, name)) }
    rmdir(directory)
  }
}
