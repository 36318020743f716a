import FoundationEssentials
import Model
import TestKit
import Wire

@testable import OpenBank

/// Answers as the reference shows them, trimmed, with invented people.
enum Bodies {
  static let token = #"{"token":"eyJhbGciOiJIUzI1NiJ9.eyIiOiIifQ.k1X"}"#
  static let banks = """
    {"banks":[{"id":"kiln.01.fi","short_name":"Kiln","full_name":"Kiln Savings Bank","logo":null,"website":null,\
    "bank_routings":[{"scheme":"BIC","address":"KILNFIHH"}]},\
    {"id":"nord.01.fi","bank_code":"Nord","full_name":"Nordbank"}]}
    """
  static let privateAccounts = """
    {"accounts":[{"id":"8ca8","label":"Household","bank_id":"kiln.01.fi","account_type":"CURRENT",\
    "account_routings":[{"scheme":"IBAN","address":"FI2112345600000785"}],\
    "views":[{"id":"owner","short_name":"Owner","description":"Owner View","is_public":false}]},\
    {"id":"77aa","label":"Club","bank_id":"kiln.01.fi","account_type":"CURRENT","account_routings":[],\
    "views":[{"id":"auditor","short_name":"Auditor","description":"","is_public":false}]}]}
    """
  static let household = """
    {"id":"8ca8","bank_id":"kiln.01.fi","label":"Household","number":"000785","product_code":"CUR1",\
    "balance":{"currency":"EUR","amount":"1240.50"},"account_routings":[{"scheme":"IBAN","address":"FI2112345600000785"}],\
    "views_basic":["owner","auditor"]}
    """
  static let club = """
    {"id":"77aa","bank_id":"kiln.01.fi","label":"Club","number":null,"product_code":"CUR1","owners":null,\
    "balance":{"currency":"EUR","amount":null},"account_routings":[],"views_available":[]}
    """

  static func transaction(_ id: String, amount: String = "-19.90", completed: String = "2026-11-28T10:02:11Z") -> String
  {
    """
    {"id":"\(id)","this_account":{"id":"8ca8"},"other_account":{"id":"c9b1","holder":{"name":"Deli Oy",\
    "is_alias":false},"bank_routing":{"scheme":"OBP","address":"nord.01.fi"},"account_routings":[]},\
    "details":{"type":"SANDBOX_TAN","description":"groceries","posted":"2026-11-28T10:02:11Z",\
    "completed":"\(completed)","new_balance":{"currency":"EUR","amount":"1240.50"},\
    "value":{"currency":"EUR","amount":"\(amount)"}},"transaction_attributes":[]}
    """
  }

  static func transactions(_ ids: [String]) -> String {
    #"{"transactions":["# + ids.map { transaction($0) }.joined(separator: ",") + "]}"
  }

  static func fault(_ code: Int, _ message: String) -> String { #"{"code":\#(code),"message":"\#(message)"}"# }
}

/// A back end over a scripted transport.
struct OpenBankBench {
  let stub = StubTransport()
  let keeper: StubKeeper
  let asker: StubAsker
  let backend: OpenBankBackend

  static let origin = "http://127.0.0.1:8080"

  init(
    url: String = "\(OpenBankBench.origin)/obp/v5.1.0", anonymous: Bool = false, password: String? = "s3cret!words",
    signedIn: Bool = true, readOnly: Bool = false, asker: StubAsker = StubAsker()
  ) throws {
    self.asker = asker
    var fields: [(key: String, entry: Settings.Entry)] = [(key: "url", entry: .text(url, .init()))]
    if readOnly { fields.append((key: "readOnly", entry: .text("true", .init()))) }
    if !anonymous {
      var auth: [(key: String, entry: Settings.Entry)] = [
        (key: "method", entry: .text("direct", .init())), (key: "consumerKey", entry: .text("kx3v0sandbox", .init())),
        (key: "user", entry: .text("ada", .init())),
      ]
      if let password { auth.append((key: "password", entry: .text(password, .init()))) }
      fields.append((key: "auth", entry: .table(Settings(auth))))
    }
    let token = OpenBankToken(
      form: .directHeader, value: Secret("old.jwt.token"), user: "ada", origin: OpenBankBench.origin)
    keeper = StubKeeper(signedIn && !anonymous ? ["bank/session": token.kept] : [:])
    backend = try OpenBankBackend(
      connection: Connection(name: "bank", kind: .openbank, settings: Settings(fields)), transport: stub,
      surroundings: .stub(asker: asker, keeper: keeper))
  }

  func location(_ path: String) throws -> Location { try Location(parsing: "bank:\(path)") }

  /// The requests that went out, as method and path with query.
  var lines: [String] { stub.requests.map(\.line) }
}

extension Listing {
  /// The rows as exact texts, null shown as such.
  var texts: [[String]] { rows.map { $0.values.map { $0.isNull ? "null" : $0.exactText } } }
}

extension OpenBankCall {
  /// The address as it would go out.
  var asURL: URL? { URL(string: url) }
}
