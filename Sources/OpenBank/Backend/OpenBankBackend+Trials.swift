import JSON
import Model
import Wire

/// Trying a call out: a form made of its docs, and the request and the answer to look at.
extension OpenBankBackend {
  /// - Parameter form: What was filled in the last time.
  func tryAction(_ endpoint: Endpoint, form: [String: String]) -> Action {
    var fields = endpoint.placeholders.map { name in
      FormField(name, OpenBankBackend.title(of: name.lowercased()), initial: form[name] ?? usualValue(of: name))
    }
    fields.append(
      FormField(
        "query", "Query", initial: form["query"] ?? "", isRequired: false, hint: "limit=10&sort_direction=ASC"))
    fields.append(
      FormField(
        "headers", "Headers", .multiline, initial: form["headers"] ?? "", isRequired: false,
        hint: "one a line, like X-Request-ID: 7"))
    if !["GET", "HEAD", "DELETE"].contains(endpoint.method) {
      fields.append(
        FormField(
          "body", "Body", .multiline, initial: form["body"] ?? endpoint.exampleBody ?? "{}", isRequired: false))
    }
    fields.append(
      FormField("public", "Without authorisation", .flag, initial: form["public"] ?? "false", isRequired: false))
    let warning =
      endpoint.isWriting ? "Send \(endpoint.method) \(endpoint.path): it changes things at the server" : nil
    return Action(
      "try", "Try it", fields: fields,
      disabled: endpoint.isWriting && connection.isReadOnly ? "this connection is read-only" : nil, warning: warning)
  }

  /// What a placeholder most likely stands for; a word that is part of the address stands for itself.
  private func usualValue(of name: String) -> String {
    switch name {
    case "VIEW_ID": return isAnonymous ? "_public" : "owner"
    case "VERSION", "API_VERSION", "VERSION_ID": return client.version.description
    default: break
    }
    let endings = ["ID", "CODE", "NAME", "KEY", "PROVIDER", "VERSION", "EMAIL", "USERNAME", "DATE", "TYPE", "METHOD"]
    let isWord = !endings.contains { name == $0 || name.hasSuffix("_" + $0) } && !name.hasSuffix("CURRENCY")
    return isWord ? name : ""
  }

  func attempt(_ endpoint: Endpoint, _ form: ActionForm, at location: Location) async throws(ServiceError)
    -> ActionOutcome
  {
    if endpoint.isWriting && connection.isReadOnly {
      throw ServiceError(.readOnly, form.operation, detail: "this connection is read-only")
    }
    guard var path = endpoint.path(with: form.fields) else {
      let missing = endpoint.placeholders.filter { form.optional($0) == nil }
      throw ServiceError(
        .usage, form.operation, detail: "nothing stands for \(missing.joined(separator: " and "))",
        remedy: "Give it: \(missing.map { "\($0)=…" }.joined(separator: " ")).")
    }
    if let query = form.optional("query") { path += "?" + (query.hasPrefix("?") ? String(query.dropFirst()) : query) }
    let request = TrialRequest(
      endpoint: endpoint, path: path, headers: try OpenBankBackend.headers(form),
      body: form.optional("body") ?? "", isPublic: try form.flag("public", false), form: form.fields)
    let trial = try await client.attempt(request, form.operation)
    let place = Location(connection: location.connection, path: ["api", "tries", String(trial.number)])
    return ActionOutcome(OpenBankBackend.summary(trial), location: place, isAnswer: true)
  }

  private static func summary(_ trial: Trial) -> String {
    let size = trial.reply.body.count
    let fault = trial.reply.isSuccess ? nil : OpenBankFault(trial.reply)
    let words = fault.map { $0.words.isEmpty ? "" : ": \($0.code.map { "\($0) " } ?? "")\($0.words)" } ?? ""
    return "\(trial.method) \(trial.url) answered \(trial.reply.status), \(size) bytes\(words)"
  }

  private static func headers(_ form: ActionForm) throws(ServiceError) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for line in (form.optional("headers") ?? "").split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.drop(while: \.isWhitespace) }
      guard parts.count == 2, !parts[0].isEmpty else {
        throw ServiceError(
          .usage, form.operation, detail: "“\(line)” is no header", remedy: "Write it like Name: value.")
      }
      headers.append((name: String(parts[0]), value: String(parts[1])))
    }
    return headers
  }

  // MARK: What was tried

  func trials(_ location: Location, _ query: ListQuery) throws(ServiceError) -> Listing {
    let trials = Array(client.trials.all.reversed())
    let page = try LocalPages(trials.count, query)
    let columns = [
      Column("id", "Number", .integer, rank: 1), Column("method", "Method", rank: 0), Column("url", "Address", rank: 0),
      Column("status", "Status", .integer, rank: 0), Column("size", "Size", .size, rank: 1),
    ]
    return Listing(
      location, title: "Tried out", columns: columns,
      rows: trials[page.range].map { trial in
        Row(
          location.appending(String(trial.number)),
          [
            .integer(Int64(trial.number)), .text(trial.method), .text(trial.url),
            .integer(Int64(trial.reply.status)), .size(Int64(trial.reply.body.count)),
          ])
      }, next: page.next, total: .exact(trials.count),
      notices: trials.isEmpty ? ["Nothing was tried out in this run: open a call and choose “Try it”."] : [])
  }

  func trialItem(_ location: Location, _ number: Int) throws(ServiceError) -> Item {
    guard let trial = client.trials[number] else { throw .notFound(location) }
    let reply = trial.reply
    var request = [Field("method", "Method", .text(trial.method)), Field("url", "Address", .text(trial.url))]
    request += trial.sentHeaders.fields.map { Field("sent_\($0.name)", $0.name, .text($0.value)) }
    if !trial.sentBody.isEmpty { request.append(Field("sent_body", "Body", .text(trial.sentBody))) }
    var answer = [
      Field("status", "Status", .integer(Int64(reply.status))), Field("version", "Protocol", .text(reply.version)),
    ]
    answer += reply.headers.fields.map { Field("got_\($0.name)", $0.name, .text($0.value)) }
    answer.append(Field("body", "Body", .text(OpenBankBackend.laidOut(reply))))
    let endpoint = Location(connection: location.connection, path: ["api", "endpoints", trial.endpoint.id])
    return Item(
      location, title: "\(trial.method) \(reply.status)",
      sections: [.init("Request", request.withUniqueIDs), .init("Answer", answer.withUniqueIDs)],
      related: [Link("The call", endpoint, opening: .item)],
      actions: [tryAction(trial.endpoint, form: trial.form)],
      raw: RawAnswer(
        bytes: reply.body, mediaType: reply.headers.mediaType ?? "text/plain",
        exchange: reply.exchange == 0 ? nil : reply.exchange))
  }

  /// The body for reading: JSON laid out, anything else as it is, cut where it gets long.
  private static func laidOut(_ reply: HTTPResponse) -> String {
    let most = 8192
    if let document = try? JSONDocument(reply.body) {
      let text = String(decoding: document.root.encoded(pretty: true), as: UTF8.self)
      return text.utf8.count > most ? "\(text.prefix(most))\n… the whole of it with i" : text
    }
    return String(decoding: reply.body.prefix(most), as: UTF8.self)
  }
}
