import Model

/// One exchange in full: what was sent, what came, and where the time went.
struct ExchangeScreen: Screen {
  /// How bodies are shown.
  enum Form: String, CaseIterable { case pretty, raw, hex }

  var id = 0
  private let exchange: Int
  private var info: ExchangeInfo?
  private var isGone = false
  private var form = Form.pretty
  private var pager = Pager()
  private var prompt: TextField?
  private var columns = 0

  /// What is found at once, where a search led here.
  private let finding: String

  init(_ exchange: Int, finding: String = "") {
    self.exchange = exchange
    self.finding = finding
  }

  var place: Place { [.text, .items, .exchanges] }
  var crumb: Crumb { .title("Exchange \(exchange)") }
  var takesText: Bool { prompt != nil }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared where info == nil, .command(.refresh, _), .command(.reload, _):
      return [.ask(RequestID(owner: id, serial: 1), .exchange(id: exchange))]
    case .reply(_, .exchange(let info)):
      self.info = info
      isGone = info == nil
      layOut(world)
      if !finding.isEmpty, pager.finder.text.isEmpty {
        pager.find(finding)
        pager.showMatch(page: world.body.rows)
      }
    case .command(let command, let times): return perform(command, times: times, world)
    case .key(let key): typed(key, world)
    case .paste(let text):
      prompt?.insert(text)
      find(world)
    case .mouse(let mouse) where mouse.kind == .wheelUp: _ = pager.handle(.up, times: 3, page: world.body.rows)
    case .mouse(let mouse) where mouse.kind == .wheelDown: _ = pager.handle(.down, times: 3, page: world.body.rows)
    case .resized: layOut(world)
    default: break
    }
    return []
  }

  private mutating func perform(_ command: Command, times: Int, _ world: World) -> [Effect] {
    if pager.handle(command, times: times, page: world.body.rows) { return [] }
    switch command {
    case .view:
      let forms = Form.allCases
      form = forms[((forms.firstIndex(of: form) ?? 0) + 1) % forms.count]
      layOut(world)
    case .replay: return info.map { Replay.form($0, world) } ?? []
    case .filter: prompt = TextField()
    case .copy: return info.map { [.present(CopyMenu.dialog(ExchangeScreen.copyEntries($0)))] } ?? []
    case .openOutside:
      return [.outside(.pager(text: pager.lines.map(\.text).joined(separator: "\n"), name: "exchange-\(exchange)"))]
    case .inspect, .open:
      guard let info else { return [] }
      let type = info.responseHeaders.first { $0.name.lowercased() == "content-type" }?.value ?? ""
      return [
        .push(
          ViewerScreen(
            location: Location(connection: info.connection.isEmpty ? "exchange" : info.connection),
            title: "Answer of exchange \(exchange)", bytes: info.responseBody, mediaType: type))
      ]
    case .back where !pager.finder.text.isEmpty: pager.finder.clear()
    case .back: return [.close]
    default: break
    }
    return []
  }

  private mutating func typed(_ key: Key, _ world: World) {
    switch key {
    case .escape:
      prompt = nil
      pager.finder.clear()
    case .enter: prompt = nil
    default:
      if prompt?.handle(key) == true { find(world) }
    }
  }

  private mutating func find(_ world: World) {
    pager.find(prompt?.text ?? "")
    pager.showMatch(page: world.body.rows)
  }

  private mutating func layOut(_ world: World) {
    columns = world.body.columns - 2
    guard let info else { return }
    pager.setLines(
      ExchangeLines(info, columns: columns, form: form, world: world).lines, page: world.body.rows)
  }

  static func copyEntries(_ info: ExchangeInfo) -> [CopyMenu.Entry] {
    let entries = [
      CopyMenu.Entry("curl command, without secrets", info.curl), CopyMenu.Entry("Address", info.url),
      CopyMenu.Entry("Body of the answer", String(decoding: info.responseBody, as: UTF8.self), isPrivate: true),
    ]
    // By this the operators of Oracle's servers find the request in their log.
    let session = info.requestHeaders.first { $0.name.lowercased() == "oracle-mobile-diagnostic-session-id" }
    return entries + (session.map { [CopyMenu.Entry("Diagnostic session id", $0.value)] } ?? [])
  }

  func hints(_ world: World) -> [Command] {
    [.open, .view, .filter, .nextMatch, .replay, .copy, .openOutside, .help, .back]
  }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch: pager.finder.lines.isEmpty ? "nothing is looked for; / finds" : nil
    case .wrap, .actions, .search, .nextPane, .previousPane: "this is one exchange"
    case .compare: "mark two exchanges in the log first"
    case .replay: Replay.reason(info, world)
    case .inspect, .open: info?.responseBody.isEmpty == false ? nil : "the answer has no body"
    default: nil
    }
  }

  func status(_ world: World) -> Line {
    let mode = form.rawValue
    let found = pager.finder.status
    return Line([Span(found.isEmpty ? mode : "\(found)  \(mode)", .text, on: .footer)])
  }

  func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    guard let prompt else { return false }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if isGone {
      return StateView.empty("The log does not keep this exchange any more.", [], into: &buffer, area: area)
    }
    pager.render(into: &buffer, area: area)
  }
}

/// The lines of an exchange.
struct ExchangeLines {
  private(set) var lines: [Line] = []
  private let columns: Int
  private let form: ExchangeScreen.Form

  init(_ info: ExchangeInfo, columns: Int, form: ExchangeScreen.Form, world: World) {
    self.columns = columns
    self.form = form
    lines.append(Line([Span(info.method, .accent, bold: true), Span(" \(info.url)", .link)]))
    lines.append(outcome(info))
    let secrets = RedactionMarks.count(in: info)
    if secrets > 0 {
      lines.append(
        Line([Span("«redacted»", .secret, bold: true), Span("  stands for \(Format.count(secrets, "secret"))", .dim)]))
    }
    lines.append(Line())
    addPhases(info)
    addMessage("Request", info.requestHeaders, info.requestBody, world)
    addMessage("Answer", info.responseHeaders, info.responseBody, world)
    if info.isBodyCut { lines.append(Line("… the log keeps only the beginning", .dim)) }
  }

  private func outcome(_ info: ExchangeInfo) -> Line {
    var spans: [Span]
    if let status = info.status {
      spans = [Span(status >= 400 ? "✗ \(status)" : "✓ \(status)", status >= 400 ? .bad : .good, bold: true)]
    } else {
      spans = [Span(info.failure.map { "✗ \($0)" } ?? "running", info.failure == nil ? .info : .bad, bold: true)]
    }
    spans.append(Span("  \(info.version)  \(Format.duration(milliseconds: Int64(info.milliseconds.rounded())))", .dim))
    if let bytes = info.bytes { spans.append(Span("  \(Format.plainSize(bytes))", .dim)) }
    return Line(spans)
  }

  /// One bar a phase, each beginning where the one before ended.
  private mutating func addPhases(_ info: ExchangeInfo) {
    let all = info.milliseconds
    guard all > 0 else { return }
    let names = info.phases.map { TextWidth.columns(of: $0.name) }.max() ?? 0
    let room = max(4, min(60, columns - names - 14))
    var before = 0.0
    for phase in info.phases where phase.milliseconds > 0 {
      let start = Int(before / all * Double(room))
      let length = max(1, Int((phase.milliseconds / all * Double(room)).rounded()))
      let bar = String(repeating: "█", count: min(length, room - min(start, room - 1)))
      let time = "\(Format.tenths(phase.milliseconds)) ms".padded(columns: 10, rightAligned: true)
      lines.append(
        Line([
          Span(phase.name.padded(columns: names), .label), Span("\(time)  ", .number),
          Span(String(repeating: " ", count: min(start, room - 1))), Span(bar, .bar),
        ]))
      before += phase.milliseconds
    }
    lines.append(Line())
  }

  private mutating func addMessage(
    _ title: String, _ headers: [ExchangeInfo.Header], _ body: [UInt8], _ world: World
  ) {
    lines.append(Line(title, .heading, bold: true))
    for header in headers {
      let pieces = Wrap.lines(header.value, columns: max(8, columns - TextWidth.columns(of: header.name) - 2))
      for (index, piece) in pieces.enumerated() {
        let name = index == 0 ? "\(header.name): " : String(repeating: " ", count: header.name.count + 2)
        lines.append(Line([Span(name, .label)] + RedactionMarks.spans(piece, Style())))
      }
    }
    if !body.isEmpty {
      lines.append(Line())
      lines += world.isPrivate ? [Line("(privacy mode hides the body)", .dim)] : bodyLines(body)
    }
    lines.append(Line())
  }

  private func bodyLines(_ body: [UInt8]) -> [Line] {
    if form == .hex || body.prefix(512).contains(0) { return hexLines(body) }
    if form == .pretty, let outline = JSONOutline(body) {
      return outline.prettyLines(limit: 5000).map(RedactionMarks.line)
    }
    return Wrap.lines(String(decoding: body.prefix(1 << 20), as: UTF8.self), columns: columns).map {
      RedactionMarks.line(Line($0))
    }
  }

  /// The first pages of it: who wants all opens the body.
  private func hexLines(_ body: [UInt8]) -> [Line] {
    let width = HexLines.width(columns)
    let rows = HexLines.rows(body.count, width: width)
    let lines = (0..<min(1024, rows)).map { HexLines.line(body, row: $0, width: width) }
    return rows > 1024 ? lines + [Line("… Enter opens all of it", .dim)] : lines
  }

  /// An exchange as text that can be compared with another's.
  static func plain(_ info: ExchangeInfo) -> String {
    func body(_ bytes: [UInt8]) -> [String] {
      JSONOutline(bytes)?.prettyLines().map(\.text)
        ?? String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(
          String.init)
    }
    let outcome = info.status.map { "\(info.version) \($0)" } ?? info.failure ?? "no answer yet"
    let lines =
      ["\(info.method) \(info.url)"] + info.requestHeaders.map { "\($0.name): \($0.value)" } + [""]
      + body(info.requestBody) + ["", outcome] + info.responseHeaders.map { "\($0.name): \($0.value)" } + [""]
      + body(info.responseBody)
    return lines.joined(separator: "\n")
  }
}
