import Model
import TestKit

@testable import Screens

/// Invented people and data with every awkward case, and a clock that stands still.
enum Samples {
  static let now = Timestamp(rfc3339: "2026-11-30T17:55:51Z") ?? Timestamp(milliseconds: 0)

  static func world(_ size: Size = Size(columns: 80, rows: 24)) -> World {
    var world = World(now: now, size: size, connections: connections)
    world.themes = [
      ThemeInfo(name: "dusk", title: "Dusk"), ThemeInfo(name: "paper", title: "Paper"),
      ThemeInfo(name: "beacon", title: "Beacon, high contrast"),
    ]
    world.theme = "dusk"
    return world
  }

  static let everything: Capabilities = [.search, .download, .upload, .delete, .rawCall]

  static let connections = [
    ConnectionInfo(
      name: "bank", kind: .openbank, address: "https://bank.example/obp/v5.1.0", state: .live(user: "susan")),
    ConnectionInfo(
      name: "docs", kind: .alfresco, address: "https://docs.example/alfresco", state: .live(user: "ada"),
      capabilities: everything),
    ConnectionInfo(name: "mobile", kind: .omce, address: "https://mobile.example", capabilities: [.download, .upload]),
    ConnectionInfo(name: "mfp", kind: .mobilefirst, address: "https://mfp.example/mfp", state: .signedOut),
    ConnectionInfo(
      name: "field", kind: .unwired, address: "https://field.example:8080", state: .unreachable("timed out"),
      isReadOnly: true),
  ]

  static let accounts = Location(connection: "bank", path: ["banks", "rbs", "accounts"])
  static let files = Location(connection: "docs", path: ["files", "Shared"])

  static let accountColumns = [
    Column("id", "Id", rank: 6), Column("bank", "Bank", rank: 5),
    Column("label", "Label", rank: 0, isSortable: false, isPrivate: true),
    Column("number", "Number", rank: 3, isPrivate: true), Column("iban", "IBAN", rank: 4, isPrivate: true),
    Column("type", "Type", rank: 2), Column("currency", "Currency", .currency, rank: 1),
    Column("balance", "Balance", .amount, rank: 1, isPrivate: true),
  ]

  static func account(
    _ id: String, _ label: Value, _ number: String, _ iban: Value, _ type: String, _ balance: Value
  ) -> Row {
    var currency = Value.null
    if case .money(let money) = balance { currency = .text(money.currency) }
    return Row(
      accounts.appending(id), [.text(id), .text("rbs"), label, .text(number), iban, .text(type), currency, balance],
      opening: .item)
  }

  static func money(_ units: Int64, _ decimals: Int, _ currency: String) -> Value {
    .money(Money(units: units, decimals: decimals, currency: currency))
  }

  static let accountRows = [
    account(
      "81002204", .text("Everyday account"), "81002204", .text("DE89370400440532013000"), "CURRENT",
      money(120_450, 2, "EUR")),
    account("81002212", .text("Holiday savings"), "81002212", .null, "SAVINGS", money(1_025_000, 2, "EUR")),
    account("81002300", .text("企業口座 東京支店"), "81002300", .null, "BUSINESS", money(92_100, 0, "JPY")),
    account(
      "81002301", .text("Ménage «commun» 👪"), "81002301", .text("FR7630006000011234567890189"), "CURRENT",
      money(-7_305, 2, "EUR")),
    account("81002302", .text("دينار"), "81002302", .null, "CURRENT", money(1_234_567, 3, "KWD")),
    account("81002303", .null, "81002303", .null, "LOAN", money(-1_234_567_890, 2, "GBP")),
    account("81002304", .text("evil\u{1B}[31m red\u{7}\nbreak"), "81002304", .null, "CURRENT", .null),
    account(
      "81002305", .text("A very long label that a customer typed in one sunny afternoon because nobody stopped them"),
      "81002305", .null, "CURRENT", money(0, 2, "EUR")),
    account("81002306", .text("e\u{301}te\u{301} — piggy bank 🐖"), "81002306", .null, "SAVINGS", money(5, 2, "EUR")),
  ]

  static func accountListing(next: String? = nil, notices: [String] = []) -> Listing {
    Listing(
      accounts, title: "Accounts at Rainbow Bank", columns: accountColumns, rows: accountRows, next: next,
      total: next == nil ? .exact(accountRows.count) : .unknown, notices: notices,
      actions: [Action("open-account", "Open an account")])
  }

  static let accountItem = Item(
    accounts.appending("81002204"), title: "Everyday account",
    sections: [
      Item.Section(
        "Account",
        [
          Field("label", "Label", .text("Everyday account"), isPrivate: true),
          Field("iban", "IBAN", .text("DE89 3704 0044 0532 0130 00"), isPrivate: true),
          Field("balance", "Balance", money(120_450, 2, "EUR"), .amount, isPrivate: true),
          Field("owner", "Owner", .text("Susan Müller"), isPrivate: true),
          Field("opened", "Opened", .time(Timestamp(seconds: 1_700_000_000)), .time),
          Field("note", "Note", .null),
        ]),
      Item.Section(
        "Bank",
        [
          Field("bank", "Bank", .text("Rainbow Bank of Scotland and the Islands, Department of Everyday Banking")),
          Field("closed", "Closed", .flag(false), .flag), Field("size", "Statement", .size(1_234_567), .size),
          Field("tags", "Tags", .list([.text("family"), .text("日常")])),
        ]),
    ],
    related: [
      Link("Transactions", accounts.appending("81002204").appending("transactions")),
      Link("Payees", accounts.appending("81002204").appending("counterparties")),
      Link("Views", accounts.appending("81002204").appending("views")),
    ],
    actions: [
      Action(
        "pay", "Pay", fields: [FormField("to", "To"), FormField("amount", "Amount", .amount(currency: "EUR"))]),
      Action("close", "Close the account", disabled: "the balance is not zero"),
    ],
    raw: RawAnswer(bytes: Array(accountJSON.utf8), mediaType: "application/json", exchange: 7))

  static let accountJSON = """
    {"id":"81002204","label":"Everyday account","balance":{"currency":"EUR","amount":"1204.50"},\
    "owners":[{"name":"Susan M\\u00fcller","age":42},{"name":"\\ud83d\\udc16"}],"views":[],"closed":false,\
    "note":null,"evil":"\\u001b[31m red"}
    """

  static let transactions = accounts.appending("81002204").appending("transactions")

  static func transactionListing(from start: Int, count: Int, next: String?, total: Total = .unknown) -> Listing {
    let rows = (start..<(start + count)).map { index in
      let cents = Int64((index * 7919) % 20_000 - 12_000)
      return Row(
        transactions.appending("t\(index)"),
        [
          .text("t\(index)"), .time(now.adding(seconds: Int64(-index) * 50_000)),
          .text(["Rail ticket", "Groceries at the corner", "Salary", "Coffee ☕", "家賃"][index % 5] + " \(index)"),
          .text(["Rail AG", "Corner Shop", "Rainbow Ltd", "Café Ünïque", "大家"][index % 5]),
          money(cents, 2, "EUR"), .text("EUR"), money(500_000 - cents, 2, "EUR"), .text("SANDBOX_TAN"),
        ])
    }
    return Listing(
      transactions, title: "Transactions of Everyday account",
      columns: [
        Column("id", "Id", rank: 6), Column("completed", "Completed", .time, rank: 1),
        Column("description", "Description", rank: 0, isPrivate: true),
        Column("counterparty", "Counterparty", rank: 2, isPrivate: true),
        Column("amount", "Amount", .amount, rank: 0, isPrivate: true),
        Column("currency", "Currency", .currency, rank: 1),
        Column("balance", "Balance", .amount, rank: 3, isPrivate: true), Column("type", "Type", rank: 5),
      ], rows: rows, next: next, total: total)
  }

  static func fileListing() -> Listing {
    func row(_ name: String, _ kind: String, _ mime: String?, _ size: Int?, _ time: String, _ who: String) -> Row {
      Row(
        files.appending(name),
        [
          .text("0f1e-\(name.count)"), .text(name), .text(kind), .optional(mime), .optional(size: size),
          .optional(Timestamp(rfc3339: time)), .text(who),
        ], opening: kind == "folder" ? .listing : .item, hasContent: kind == "file")
    }
    return Listing(
      files, title: "Shared",
      columns: [
        Column("id", "Id", rank: 6), Column("name", "Name", rank: 0, isSortable: true), Column("kind", "Kind", rank: 5),
        Column("mime", "Type", rank: 4), Column("size", "Size", .size, rank: 1, isSortable: true),
        Column("modified", "Modified", .time, rank: 2, isSortable: true),
        Column("modifier", "By", rank: 3, isPrivate: true),
      ],
      rows: [
        row("Budget", "folder", nil, nil, "2026-11-30T09:12:00Z", "ada"),
        row("書類", "folder", nil, nil, "2025-03-01T09:12:00Z", "田中 陽子"),
        row("Report 2026.pdf", "file", "application/pdf", 1_234_567, "2026-11-14T09:12:00Z", "Ada Lovelace"),
        row("notes.txt", "file", "text/plain", 0, "2026-11-29T23:59:00Z", "Grace Hopper"),
        row("backup.tar", "file", "application/x-tar", 12_345_678_901, "2024-02-29T12:00:00Z", "admin"),
        row("a%b?c#d.json", "file", "application/json", 812, "2026-01-02T03:04:05Z", "ada"),
      ])
  }
}

extension Samples {
  /// A year of days with a salary each month and two gaps into the red.
  static let balanceChart = Chart(
    "Balance of Everyday account", .line, .money(currency: "EUR", decimals: 2),
    [
      Chart.Series(
        "Balance",
        (0..<365).map { day in
          let label = now.adding(seconds: Int64(day - 364) * 86_400).dateText
          return Chart.Point(label, Int64(240_000 - (day % 30) * 9_000 + (day * 7919) % 40_000 - (day / 120) * 20_000))
        })
    ], isPrivate: true, notices: ["of the first 500 transactions"])

  static let monthsChart = Chart(
    "In and out by month", .bars, .money(currency: "EUR", decimals: 2),
    [
      Chart.Series("In", (1...12).map { Chart.Point("2026-\($0 < 10 ? "0" : "")\($0)", Int64(250_000 + $0 * 1_234)) }),
      Chart.Series(
        "Out", (1...12).map { Chart.Point("2026-\($0 < 10 ? "0" : "")\($0)", Int64($0 * 31_415 % 270_000)) }),
    ], isPrivate: true)

  static let payeesChart = Chart(
    "Spending by payee", .bars, .money(currency: "EUR", decimals: 2),
    [
      Chart.Series(
        "Spent",
        [
          ("Rail AG", 48_213), ("Corner Shop", 31_005), ("Café Ünïque with a name that goes on and on", 9_900),
          ("大家", 120_000), ("Refund", -1_250), ("Nothing", 0), ("A cent", 1),
        ].map { Chart.Point($0.0, $0.1) })
    ], isPrivate: true, notices: ["of the first 500 transactions"])

  static func searchListing() -> Listing {
    func row(_ name: String, _ path: String, _ size: Int, _ snippet: String) -> Row {
      Row(
        Location(connection: "docs", path: ["nodes", name]),
        [
          .text(name), .text(name), .text("file"), .text("application/pdf"), .size(Int64(size)),
          .time(now.adding(seconds: -86_400)), .text("ada"), .text(path), .decimal("1.5"), .text(snippet),
        ], hasContent: true)
    }
    return Listing(
      Location(connection: "docs", path: ["search"]), title: "Search",
      columns: [
        Column("id", "Id", rank: 8), Column("name", "Name", rank: 0), Column("kind", "Kind", rank: 7),
        Column("mime", "Type", rank: 5), Column("size", "Size", .size, rank: 1),
        Column("modified", "Modified", .time, rank: 2), Column("modifier", "By", rank: 4, isPrivate: true),
        Column("path", "Path", rank: 3), Column("score", "Score", .decimal, rank: 6),
        Column("snippet", "Snippet", rank: 9),
      ],
      rows: [
        row("Budget 2026.xlsx", "/Shared/Budget", 48_213, "the budget report for 2026 as agreed"),
        row("Report 2026.pdf", "/Shared", 1_234_567, "… that the budget\nwas exceeded, see the report of last year …"),
        row("予算報告.pdf", "/Shared/書類", 9_999, "予算 budget 報告 report"),
      ], total: .exact(3),
      facets: [
        Facet(
          id: "mime", title: "Type",
          buckets: [
            Facet.Bucket(value: "pdf", title: "PDF", count: 2), Facet.Bucket(value: "xlsx", title: "Excel", count: 1),
          ]),
        Facet(id: "creator", title: "Creator", buckets: [Facet.Bucket(value: "ada", title: "Ada Lovelace", count: 3)]),
      ])
  }

  static let exchanges: [ExchangeInfo] = [
    ExchangeInfo(
      id: 1, connection: "bank", started: now.adding(seconds: -60), method: "POST",
      url: "https://bank.example/my/logins/direct", status: 201, version: "HTTP/2", bytes: 240,
      phases: [
        ExchangeInfo.Phase("resolve", 1.2), ExchangeInfo.Phase("connect", 12), ExchangeInfo.Phase("TLS", 31.5),
        ExchangeInfo.Phase("wait", 88), ExchangeInfo.Phase("receive", 0.4),
      ]),
    ExchangeInfo(
      id: 2, connection: "bank", started: now.adding(seconds: -59), method: "GET",
      url: "https://bank.example/obp/v5.1.0/my/banks/rbs/accounts?limit=50", status: 200, version: "HTTP/2",
      bytes: 18_234,
      phases: [
        ExchangeInfo.Phase("send", 0.3), ExchangeInfo.Phase("wait", 41.7), ExchangeInfo.Phase("receive", 3.9),
      ],
      requestHeaders: [
        ExchangeInfo.Header("Authorization", "DirectLogin token=«secret»"),
        ExchangeInfo.Header("Accept", "application/json"),
      ], responseHeaders: [ExchangeInfo.Header("Content-Type", "application/json; charset=utf-8")],
      responseBody: Array(accountJSON.utf8)),
    ExchangeInfo(
      id: 3, connection: "docs", started: now.adding(seconds: -30), method: "GET",
      url: "https://docs.example/alfresco/api/-default-/public/alfresco/versions/1/nodes/-root-/children", status: 503,
      version: "HTTP/1.1", bytes: 512, phases: [ExchangeInfo.Phase("wait", 1_204)]),
    ExchangeInfo(
      id: 4, connection: "mobile", started: now.adding(seconds: -3), method: "GET", url: "https://mobile.example/x",
      failure: "connection refused"),
    ExchangeInfo(id: 5, connection: "mfp", started: now, method: "GET", url: "https://mfp.example/mfp/api/adapters"),
  ]

  static let jobs: [JobInfo] = [
    JobInfo(id: 1, title: "old.zip", state: .done, done: 48_213, result: "/home/susan/old.zip"),
    JobInfo(
      id: 2, title: "Report 2026.pdf", state: .running, done: 812_345, total: 1_234_567, rate: 204_800, canPause: true),
    JobInfo(id: 3, title: "書類 と とても長い名前のファイル that goes on and on and on.docx", state: .paused, done: 5, total: 10),
    JobInfo(id: 4, title: "Transactions of Everyday account", state: .running, done: 1_500, countsBytes: false),
    JobInfo(id: 5, title: "broken.bin", state: .failed("the connection broke off"), done: 12),
  ]
}

/// An app whose screen can be asked for anything, with what it asked back.
struct Stage {
  var app: App
  private(set) var asked: [(id: RequestID, request: Request)] = []
  private(set) var effects: [Effect] = []
  var now = Samples.now

  init(
    _ size: Size = Size(columns: 80, rows: 24), connections: [ConnectionInfo] = Samples.connections,
    lockAfter: Int64? = nil
  ) {
    var world = Samples.world(size)
    world.lockAfter = lockAfter
    world.connections = connections
    app = App(world)
    note(app.start(now))
  }

  private mutating func note(_ effects: [Effect]) {
    self.effects += effects
    for case .ask(let id, let request) in effects { asked.append((id, request)) }
  }

  mutating func open(_ location: Location, _ opening: Row.Opening) {
    note(app.handle(.key(.character(":")), now))
    note(app.handle(.key(.control("u")), now))
    note(app.handle(.paste(location.text), now))
    note(app.handle(.key(.enter), now))
    let nature: LocationNature = opening == .listing ? .container : .item
    reply(.nature(nature))
  }

  /// Answers the newest request.
  mutating func reply(_ reply: Reply) {
    guard let last = asked.last else { return }
    note(app.take(reply, for: last.id, now))
  }

  /// Answers one request.
  mutating func take(_ reply: Reply, for id: RequestID) { note(app.take(reply, for: id, now)) }

  /// Answers the newest request of a kind.
  mutating func reply(_ reply: Reply, to test: (Request) -> Bool) {
    guard let asked = asked.last(where: { test($0.request) }) else { return }
    note(app.take(reply, for: asked.id, now))
  }

  /// A job left something new at a place.
  mutating func change(_ location: Location) { note(app.changed(location, now)) }

  mutating func press(_ keys: Key...) {
    for key in keys { note(app.handle(.key(key), now)) }
  }

  mutating func point(_ mouse: Mouse) { note(app.handle(.mouse(mouse), now)) }

  mutating func type(_ text: String) {
    for character in text { note(app.handle(.key(.character(character)), now)) }
  }

  mutating func wait(milliseconds: Int64) {
    now = Timestamp(milliseconds: now.milliseconds + milliseconds)
    note(app.wake(now))
  }

  mutating func ask(_ question: Question, id: Int = 1) { note(app.ask((id, question), now)) }

  mutating func resize(_ size: Size) { note(app.handle(.resized(size), now)) }

  var buffer: CellBuffer { app.render() }
  var lines: [String] { buffer.lines }
  var text: String { lines.joined(separator: "\n") }
}
