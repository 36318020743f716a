import Browser
import Model
import Screens
import Service
import Store

/// The browser line by line: everything is said once, below what was said before, and answered by a number or a word.
/// No cursor moves, nothing is drawn over, nothing means anything by its colour.
struct PlainBrowser {
  let session: Session
  let service: ServiceLayer
  let downloads: String
  private(set) var place = PlainPlace.connections([])
  private var history: [Location?] = []
  private var isPrivate = false

  /// Rows said at a time.
  static let page = 20

  init(_ session: Session, _ service: ServiceLayer, downloads: String) {
    self.session = session
    self.service = service
    self.downloads = downloads
  }

  /// Runs until the person leaves or the input ends.
  mutating func run() async throws(ServiceError) -> Int32 {
    var browser = self
    defer { self = browser }
    let form = LocalForm.system()
    let ended = await LocalForm.$current.withValue(form) { () async -> Result<Int32, ServiceError> in
      do throws(ServiceError) { return .success(try await browser.converse()) } catch { return .failure(error) }
    }
    return try ended.get()
  }

  private mutating func converse() async throws(ServiceError) -> Int32 {
    try say("Atrium, line by line. Type help for what can be typed, quit to leave.")
    try await visit(nil)
    while true {
      let line: String
      do throws(ServiceError) {
        line = try await Prompt.line("\(place.name)> ", to: session.output)
      } catch {
        guard error.code == .cancelled, session.interrupts.signal == nil else { throw error }
        try say("")
        return ExitStatus.done
      }
      do throws(ServiceError) {
        guard try await obey(line.split(separator: " ").joined(separator: " ")) else { return ExitStatus.done }
      } catch {
        if error.cause is Output.Closed || session.interrupts.signal != nil { throw error }
        try say(error.code == .cancelled ? "Nothing was done." : Visible.printed(error.message))
      }
    }
  }

  // MARK: Words

  /// - Returns: False to leave.
  private mutating func obey(_ line: String) async throws(ServiceError) -> Bool {
    guard let (kind, rest) = PlainCommand.reading(line) else {
      try say("There is no command \(Visible.printed(line)). Type help for those there are.")
      return true
    }
    switch kind {
    case .quit: return false
    case .help: try help()
    case .open: try await open(try number(rest))
    case .more: try await more()
    case .record: try record(try number(rest))
    case .back: try await back()
    case .again: try await reload()
    case .home: try await go(to: nil)
    case .go: try await go(to: try session.location(rest))
    case .search: try await search(rest)
    case .filter: try filter(rest)
    case .actions: try await act(rest)
    case .download: try await download(rest)
    case .raw: try raw()
    case .privacy:
      isPrivate.toggle()
      try say(isPrivate ? "Amounts, names and numbers are masked." : "Nothing is masked.")
    }
    return true
  }

  private func help() throws(ServiceError) {
    for command in PlainCommand.all {
      try say("\(command.word)\(command.form.isEmpty ? "" : " \(command.form)"): \(command.help)")
    }
  }

  func say(_ line: String) throws(ServiceError) {
    try session.output.write(line + "\n")
    try session.output.flush()
  }

  private func number(_ text: String) throws(ServiceError) -> Int {
    guard let number = Int(text) else {
      throw ServiceError(.usage, "understand the number", detail: "“\(text)” is none", remedy: "Type help.")
    }
    return number
  }

  private var spoken: SpokenText { SpokenText(zone: .system, now: session.clock.now(), isPrivate: isPrivate) }

  // MARK: Going about

  private mutating func go(to location: Location?) async throws(ServiceError) {
    let before = place.location
    try await visit(location)
    if history.last != before || history.isEmpty { history.append(before) }
  }

  private mutating func back() async throws(ServiceError) {
    guard let location = history.popLast() else { return try say("This is where it began.") }
    try await visit(location)
  }

  private mutating func reload() async throws(ServiceError) { try await visit(place.location) }

  /// Loads a place and says it; nil is the connections.
  private mutating func visit(_ location: Location?) async throws(ServiceError) {
    guard let location else {
      place = .connections(service.connections)
      return try sayConnections()
    }
    switch try await service.nature(of: location) {
    case .container, .both(primary: .listing): try await list(location)
    case .item, .both: try await show(location)
    }
  }

  private mutating func list(_ location: Location) async throws(ServiceError) {
    place = .listing(try await service.list(location, ListQuery()), said: 0)
    try sayHead()
    try await more()
  }

  private mutating func show(_ location: Location) async throws(ServiceError) {
    let item = try await service.item(location)
    place = .item(item)
    try say("\(Visible.printed(item.title)).")
    for notice in item.notices { try say("Notice: \(Visible.printed(notice))") }
    for line in spoken.item(item) { try say(line) }
    for (index, link) in item.related.enumerated() {
      try say("\(index + 1). leads to \(Visible.printed(link.title))")
    }
    if item.content != nil { try say("It has content: get downloads it.") }
    if !item.actions.isEmpty { try say(Format.count(item.actions.count, "action") + ": type do.") }
  }

  private func sayConnections() throws(ServiceError) {
    guard !service.connections.isEmpty else {
      return try say("There is no connection yet: atrium connections add makes one, atrium demo --plain shows five.")
    }
    try say(Format.count(service.connections.count, "connection") + ".")
    for (index, connection) in service.connections.enumerated() {
      try say("\(index + 1). \(Visible.printed(connection.name)), \(connection.kind.title)")
    }
  }

  private func sayHead() throws(ServiceError) {
    guard case .listing(let listing, _) = place else { return }
    let count: String
    switch listing.total {
    case .exact(let total): count = Format.count(total, "row")
    case .atLeast(let total): count = "at least " + Format.count(total, "row")
    case .unknown:
      count = Format.count(listing.rows.count, "row") + (listing.next == nil ? "" : " so far, more exist")
    }
    try say("\(Visible.printed(listing.title)): \(count).")
    for notice in listing.notices { try say("Notice: \(Visible.printed(notice))") }
    if case .offline(let time) = listing.freshness {
      try say("From the offline store\(time.map { ", of \(LocalTime.system.long($0))" } ?? "").")
    }
  }

  // MARK: Rows

  /// Says the next rows, loading the next page where the read ones are over.
  private mutating func more() async throws(ServiceError) {
    guard case .listing(var listing, let said) = place else { return try say("There is no more.") }
    if said == listing.rows.count, let next = listing.next {
      let page = try await service.list(listing.location, ListQuery(cursor: next))
      listing.rows += page.rows
      listing.next = page.next
      listing.total = page.total
    }
    guard said < listing.rows.count else {
      return try say(listing.rows.isEmpty ? "It is empty." : "There is no more.")
    }
    let end = min(listing.rows.count, said + PlainBrowser.page)
    for index in said..<end { try say(spoken.row(index + 1, listing.rows[index], listing.columns)) }
    place = .listing(listing, said: end)
    if end < listing.rows.count || listing.next != nil {
      try say("\(end) were said; Enter says more.")
    }
  }

  private func row(_ number: Int) throws(ServiceError) -> (row: Row, listing: Listing) {
    guard case .listing(let listing, _) = place, listing.rows.indices.contains(number - 1) else {
      throw ServiceError(
        .notFound, "find row \(number)", detail: "there is none here", remedy: "Type again to hear the rows.")
    }
    return (listing.rows[number - 1], listing)
  }

  private func record(_ number: Int) throws(ServiceError) {
    let (row, listing) = try row(number)
    for line in spoken.record(number, of: listing.rows.count, row, listing.columns) { try say(line) }
  }

  private mutating func open(_ number: Int) async throws(ServiceError) {
    switch place {
    case .connections(let connections):
      guard connections.indices.contains(number - 1) else {
        throw ServiceError(.notFound, "find connection \(number)", detail: "there is none", remedy: "Type again.")
      }
      try await go(to: Location(connection: connections[number - 1].name))
    case .listing:
      let (row, _) = try row(number)
      guard row.opening != .nothing else { return try record(number) }
      try await go(to: row.location)
    case .item(let item):
      guard item.related.indices.contains(number - 1) else {
        throw ServiceError(.notFound, "follow link \(number)", detail: "there is none here", remedy: "Type again.")
      }
      try await go(to: item.related[number - 1].location)
    }
  }

  private func filter(_ words: String) throws(ServiceError) {
    guard case .listing(let listing, _) = place else { return try say("There are no rows here.") }
    var count = 0
    for (index, row) in listing.rows.enumerated() {
      let line = spoken.row(index + 1, row, listing.columns)
      guard line.lowercased().contains(words.lowercased()) else { continue }
      count += 1
      try say(line)
    }
    try say("\(count) of \(listing.rows.count) read rows.")
  }

  // MARK: Other things

  private mutating func search(_ words: String) async throws(ServiceError) {
    guard let location = place.location else { return try say("Go to a connection first.") }
    guard !words.isEmpty else { return try say("Say what to search for: search WORDS.") }
    let listing = try await service.search(location.connection, SearchRequest(words))
    history.append(location)
    place = .listing(listing, said: 0)
    try sayHead()
    try await more()
  }

  private mutating func act(_ text: String) async throws(ServiceError) {
    guard let location = place.location else { return try say("Open a connection first.") }
    let actions = place.actions
    guard !text.isEmpty else {
      if actions.isEmpty { return try say("Nothing can be done here.") }
      for (index, action) in actions.enumerated() {
        let reason = action.disabled.map { ", not now: \(Visible.printed($0))" } ?? ""
        try say("\(index + 1). \(Visible.printed(action.title))\(reason)")
      }
      return
    }
    let number = try number(text)
    guard actions.indices.contains(number - 1) else {
      throw ServiceError(.notFound, "find action \(number)", detail: "there is none here", remedy: "Type do.")
    }
    let outcome = try await DoCommand.run(actions[number - 1], at: location, service, session)
    try say(Visible.printed(outcome.message))
    try await visit(outcome.location ?? location)
  }

  private func download(_ text: String) async throws(ServiceError) {
    let location = text.isEmpty ? place.location : try row(try number(text)).row.location
    guard let location else { return try say("Open something with content first.") }
    let name = FileName.free(try await service.fileName(of: location), in: downloads)
    let path = FilePath.joined(downloads, name)
    _ = try await service.download(location, toFile: path)
    try say("Downloaded \(Visible.printed(path)).")
  }

  private func raw() throws(ServiceError) {
    let answer: RawAnswer?
    switch place {
    case .connections: answer = nil
    case .listing(let listing, _): answer = listing.raw
    case .item(let item): answer = item.raw
    }
    guard let answer else { return try say("No single answer of a server stands behind this.") }
    try session.output.write(OutputSink.harmless(answer.bytes) + "\n")
    try session.output.flush()
  }
}
