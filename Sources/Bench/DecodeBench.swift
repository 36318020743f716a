import CBench
import FoundationEssentials
import JSON
import Model
import OpenBank
import Sandbox
import Service
import Store
import Wire

/// From the bytes of a page of 500 transactions to the rows that a list shows.
///
/// The page is the sandbox's own. Beside the back end stand what JSONDecoder needs for the same columns, what simdjson's
/// own parser needs for the bytes alone, and our parse alone.
enum DecodeBench {
  private static let rows = 500

  static func run(_ scale: Scale) async throws {
    let sandbox = try Sandbox(SandboxOptions(accounts: 2, transactions: rows + 100, documents: 0, objects: 0))
    defer { sandbox.stop() }
    let recorder = Recorder(CurlTransport())
    let backend = try backend(of: sandbox, over: recorder)
    _ = try await backend.signIn(SignInRequest())
    let accounts = try await backend.list(Location(connection: "bank", path: ["accounts"]), ListQuery(limit: 1))
    guard let account = accounts.rows.first?.location else { throw Broken("the sandbox has no account") }
    let place = account.appending("transactions")
    let query = ListQuery(limit: rows)
    _ = try await backend.list(place, query)
    guard let page = recorder.body(of: "/transactions?") else { throw Broken("no page of transactions was read") }
    recorder.replay()
    try await measure(scale, page) { try await backend.list(place, query).rows.count }
  }

  private static func backend(of sandbox: Sandbox, over transport: Recorder) throws -> OpenBankBackend {
    let configuration = try Configuration(parsing: Array(sandbox.configuration.utf8), path: "sandbox")
    guard let connection = configuration.connections.first(where: { $0.name == "bank" }) else {
      throw Broken("the sandbox has no bank")
    }
    let keeper = MemoryKeeper()
    return try OpenBankBackend(
      connection: connection, transport: transport,
      surroundings: Surroundings(
        asker: Nobody(), secrets: SecretSources(environment: [:], keeper: keeper), keeper: keeper,
        clock: SystemClock(), randomBytes: SystemRandom.bytes))
  }

  private static func measure(_ scale: Scale, _ page: [UInt8], list: () async throws -> Int) async throws {
    var (ours, document) = (Samples("decode.rows us"), Samples("decode.parse us"))
    var (decoder, least) = (Samples("decode.JSONDecoder us"), Samples("decode.simdjson us"))
    let padded = page + [UInt8](repeating: 0, count: Int(CBENCH_PADDING))
    let data = Data(page)
    for run in 0..<scale(30, quick: 2) {
      let start = ContinuousClock.now
      guard try await list() == rows else { throw Broken("the page has not \(rows) rows") }
      let listed = microseconds(since: start)
      let parsed = try microseconds { _ = try JSONDocument(page) }
      let decoded = try microseconds {
        guard try JSONDecoder().decode(DecodedPage.self, from: data).transactions.count > rows else {
          throw Broken("JSONDecoder reads another page")
        }
      }
      let read = try microseconds {
        guard cbench_parse(padded, page.count, "transactions") > rows else {
          throw Broken("simdjson reads another page")
        }
      }
      // The first run finds nothing in any cache.
      guard run > 0 else { continue }
      ours.add(listed)
      document.add(parsed)
      decoder.add(decoded)
      least.add(read)
    }
    for samples in [ours, document, decoder, least] { samples.report() }
  }
}

/// Where nobody can be asked.
private struct Nobody: Asker {
  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    throw ServiceError(.signInNeeded, question.title)
  }
}

/// The columns of the list for JSONDecoder, and no member more.
private struct DecodedPage: Decodable {
  let transactions: [Transaction]

  struct Transaction: Decodable {
    let id: String
    let otherAccount: Party
    let details: Details
    enum CodingKeys: String, CodingKey { case id, details, otherAccount = "other_account" }
  }

  struct Party: Decodable {
    let holder: Holder
    struct Holder: Decodable { let name: String? }
  }

  struct Details: Decodable {
    let type: String?
    let description: String?
    let completed: String?
    let value: Amount
    let newBalance: Amount?
    enum CodingKeys: String, CodingKey { case type, description, completed, value, newBalance = "new_balance" }
  }

  struct Amount: Decodable {
    let currency: String?
    let amount: String?
  }
}
