import Model

/// Sends a logged request once more, changed as a person likes: a form first, a question before what changes anything.
enum Replay {
  private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
  /// Headers that the connection or the transport sets itself.
  private static let own: Set<String> = [
    "authorization", "cookie", "host", "content-length", "user-agent", "accept-encoding", "connection",
    "transfer-encoding", "expect",
  ]

  /// Why an exchange cannot be sent again; nil when it can.
  static func reason(_ exchange: ExchangeInfo?, _ world: World) -> String? {
    guard let exchange else { return "nothing is loaded" }
    guard let connection = world.connection(exchange.connection) else { return "its connection is not known here" }
    guard path(exchange, connection) != nil else { return "its address lies outside that of \(connection.name)" }
    return nil
  }

  /// What is behind the connection's address; of kinds without one address, what is behind the host.
  static func path(_ exchange: ExchangeInfo, _ connection: ConnectionInfo) -> String? {
    switch connection.kind {
    case .omce, .mobilefirst: return ExchangeText.path(exchange.url)
    case .openbank, .alfresco, .unwired:
      let address = connection.address.hasSuffix("/") ? String(connection.address.dropLast()) : connection.address
      guard !address.isEmpty, exchange.url.hasPrefix(address + "/") else { return nil }
      return String(exchange.url.dropFirst(address.count))
    }
  }

  static func form(_ exchange: ExchangeInfo, _ world: World) -> [Effect] {
    if let reason = reason(exchange, world) { return [.say(Message(.warning, "Cannot be sent again: \(reason)"))] }
    guard let connection = world.connection(exchange.connection), let path = path(exchange, connection) else {
      return []
    }
    let headers = exchange.requestHeaders.filter { !own.contains($0.name.lowercased()) && !$0.value.contains("«") }
    let body = String(decoding: exchange.requestBody, as: UTF8.self)
    let fields = [
      FormField("method", "Method", .choice(methods.map { FormField.Choice($0, $0) }), initial: exchange.method),
      FormField("path", "Path", initial: path),
      FormField(
        "headers", "Headers", initial: headers.map { "\($0.name): \($0.value)" }.joined(separator: "; "),
        isRequired: false, hint: "Name: value; Name: value"),
      FormField("body", "Body", initial: body, isRequired: false),
    ]
    let isReadOnly = connection.isReadOnly
    return [
      .present(
        FormDialog(
          title: "Send once more", message: "With the address and the authorisation of \(connection.name).",
          fields: fields, submitTitle: "Send",
          warning: connection.isReadOnly ? "This connection is read-only: only GET and HEAD are sent." : nil
        ) { values in send(values.mapValues { $0.reveal() }, connection.name, isReadOnly: isReadOnly) })
    ]
  }

  private static func send(_ values: [String: String], _ connection: String, isReadOnly: Bool) -> [Effect] {
    let method = values["method"] ?? "GET"
    let path = values["path"] ?? ""
    let body = values["body"] ?? ""
    guard !(path + body + (values["headers"] ?? "")).contains("«") else {
      return [.say(Message(.bad, "A secret was taken out there («redacted»): put it back or take the mark away"))]
    }
    var call = RawCall(method, path.hasPrefix("/") ? path : "/" + path)
    for part in (values["headers"] ?? "").split(separator: ";") {
      let halves = part.split(separator: ":", maxSplits: 1).map { $0.drop { $0 == " " } }
      guard halves.count == 2, !halves[0].isEmpty else {
        return [.say(Message(.bad, "“\(part)” is no header: write Name: value; Name: value"))]
      }
      call.headers.append((String(halves[0]), String(halves[1])))
    }
    if !body.isEmpty { call.body = MemorySource(Array(body.utf8)) }
    if call.isSafe { return [.push(ReplayScreen(connection, call))] }
    if isReadOnly { return [.say(Message(.bad, "This connection is read-only: \(method) is not sent"))] }
    return [
      .present(
        ConfirmDialog(
          title: "Send \(method)", message: "\(method) \(call.path)\n\nto \(connection)? It may change what is there.",
          accept: "Send", isDestructive: true, accepted: [.push(ReplayScreen(connection, call))]))
    ]
  }
}

/// A request under way that was written by hand; gives way to the exchange it makes.
struct ReplayScreen: Screen {
  var id = 0
  private let connection: String
  private let call: RawCall
  private var failure: ServiceError?
  private var serial = 0

  init(_ connection: String, _ call: RawCall) {
    self.connection = connection
    self.call = call
  }

  var place: Place { .places }
  var crumb: Crumb { .title("\(call.method) \(call.path)") }
  func deadline(_ world: World) -> Timestamp? { failure == nil ? Spinner.next(world.now) : nil }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared where serial == 0: return send()
    case .command(.refresh, _) where call.isSafe: return send()
    case .command(.back, _): return [.close]
    case .command(.cancel, _):
      guard failure == nil else { return [] }
      failure = .cancelled("send \(call.method) \(call.path)")
      return [.cancel(RequestID(owner: id, serial: serial))]
    case .reply(let serial, .called(let exchange)) where serial == self.serial:
      let done: Effect = .say(Message(.good, "Sent: \(call.method) \(call.path)"))
      return exchange.map { [.replace(ExchangeScreen($0)), done] } ?? [.close, done]
    case .reply(let serial, .failure(let error)) where serial == self.serial: failure = error
    default: break
    }
    return []
  }

  private mutating func send() -> [Effect] {
    failure = nil
    serial += 1
    return [.ask(RequestID(owner: id, serial: serial), .call(connection: connection, call))]
  }

  func hints(_ world: World) -> [Command] { [.refresh, .exchanges, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .refresh where !call.isSafe: "what changes something is never sent twice by itself"
    case .actions, .copy, .view, .download, .upload, .delete, .nextPane, .previousPane: "nothing has come yet"
    default: nil
    }
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if let failure {
      StateView.failed(failure, into: &buffer, area: area, world: world, place: place)
    } else {
      StateView.loading("Sending \(call.method) \(call.path)", into: &buffer, area: area, world: world)
    }
  }
}
