import JSON
import Model
import Wire

extension MobileFirstBackend {
  public func item(_ location: Location) async throws(ServiceError) -> Item {
    let place = try MobileFirstPlace(location)
    try await manager.load()
    switch place {
    case .resource, .adapter: return try await resourceItem(place, location)
    case .check(let name): return try checkItem(name, location)
    case .token(let scope): return try tokenItem(scope, location)
    case .root, .resources, .adapters, .checks, .tokens:
      throw ServiceError.noItem(location)
    }
  }

  private func resourceItem(_ place: MobileFirstPlace, _ location: Location) async throws(ServiceError) -> Item {
    let operation = "show \(location)"
    try online(operation)
    let (request, scope) = try request(place, location, operation)
    let response = try await protected.send(request, scope: scope)
    guard response.isSuccess else { throw refusal(response, operation) }
    let learnt = scope ?? manager.learntScope(ProtectedResource.key(request))
    let head = response.contentHead
    var answer = identity(place)
    answer += [
      Field("status", "Status", .integer(Int64(response.status)), .integer),
      Field("mime", "Type", .text(head.mediaType)),
      Field("size", "Size", .size(Int64(response.body.count)), .size),
      Field("scope", "Scope", .optional(learnt.map { "\($0)" })), Field("state", "State", .text(state(learnt))),
    ]
    let content = AnswerFields(response).fields(avoiding: Set(answer.map(\.id)))
    return Item(
      location, title: location.path.last ?? connection.name,
      sections: [Item.Section("Content", content), Item.Section("Answer", answer)],
      related: [Link("Security checks", Location(connection: connection.name, path: ["checks"]))],
      content: ContentHead(
        name: location.path.last ?? head.name, mediaType: head.mediaType, size: Int64(response.body.count),
        validator: head.validator, modified: head.modified), raw: RawAnswer(response), notices: serverNotices)
  }

  /// What the lists say of a resource, under the same ids.
  private func identity(_ place: MobileFirstPlace) -> [Field] {
    var path: String?
    var name: String?
    switch place {
    case .resource(let called):
      name = called
      path = settings.resources.first { $0.name == called }?.path
    case .adapter(let names):
      let joined = names.joined(separator: "/")
      path = joined
      name = settings.resources.first { $0.path == "/adapters/\(joined)" }?.name
    case .root, .resources, .adapters, .checks, .tokens, .check, .token: return []
    }
    return [Field("name", "Resource", .optional(name)), Field("path", "Path", .optional(path))]
  }

  private func checkItem(_ name: String, _ location: Location) throws(ServiceError) -> Item {
    guard checkNames.contains(name) else {
      throw ServiceError(
        .notFound, "open \(location)", detail: "no check “\(name)” has asked yet, and none is configured",
        remedy: "Look under \(connection.name):/checks, or name its answers in the configuration.")
    }
    let check = manager.check(name)
    let fields = [
      Field("name", "Check", .text(name)),
      Field("state", "State", .text(check.state(at: surroundings.clock.now()).rawValue)),
      Field("remaining", "Attempts left", .optional(check.remaining), .integer),
      Field("expires", "At least until", .optional(check.expires), .time),
      Field("user", "User", .optional(check.user), isPrivate: true),
      Field("reason", "Reason", .optional(check.reason)),
      Field("configured", "Answered by configuration", .flag(answers.configuredChecks.contains(name)), .flag),
    ]
    let reason = isConfidential ? Self.passesNoChecks : nil
    let form = answers.form(name)
    return Item(
      location, title: name, sections: [Item.Section("Security check", fields)],
      actions: [
        Action(
          "answer-challenge", "Answer its challenge", fields: form.formFields([:], keepsSecrets: false),
          disabled: reason),
        Action("logout", "Sign out of it", disabled: reason ?? (manager.clientID == nil ? "not signed in" : nil)),
      ])
  }

  private func tokenItem(_ text: String, _ location: Location) throws(ServiceError) -> Item {
    guard let token = manager.heldTokens.first(where: { $0.scope == Scope(text) }) else { throw .notFound(location) }
    let fields = [
      Field("scope", "Scope", .text("\(token.scope)")), Field("expires", "Expires", .time(token.expires), .time),
      Field("renewable", "Renewable", .flag(token.refreshToken != nil), .flag),
    ]
    return Item(
      location, title: "\(token.scope)", sections: [Item.Section("Token", fields)],
      actions: [
        Action("delete", "Forget it"),
        Action(
          "introspect", "Ask the server about it",
          disabled: isConfidential ? nil : "only a confidential client may ask about tokens"),
      ])
  }
}

/// A resource's answer as fields: the members of an object, or the text as it is.
struct AnswerFields {
  private let response: HTTPResponse

  init(_ response: HTTPResponse) { self.response = response }

  func fields(avoiding taken: Set<String>) -> [Field] {
    guard let root = (try? JSONDocument(response.body))?.root, root.kind == .object || root.kind == .array else {
      return [Field(taken.contains("value") ? "content" : "value", "Value", text)]
    }
    guard root.kind == .object else {
      return [
        Field("count", "Entries", .integer(Int64(root.count)), .integer),
        Field("value", "Value", .text(Self.compact(root))),
      ]
    }
    var used = taken
    return root.members.map { key, value in
      // A member that is called like one of our own fields gets a dot before its name.
      let id = used.contains(key) ? "." + key : key
      used.insert(id)
      return Field(id, key, Self.value(value), Self.kind(value))
    }
  }

  private var text: Value {
    let head = response.contentHead.mediaType
    let isText = head.hasPrefix("text/") || head.contains("json") || head.contains("xml")
    guard isText || String(validating: response.body, as: UTF8.self) != nil else { return .null }
    return .text(String(response.text.prefix(4000)))
  }

  private static func value(_ value: JSONValue) -> Value {
    switch value.kind {
    case .absent, .null: .null
    case .bool: .optional(value.bool)
    case .number: value.int.map { .integer(Int64($0)) } ?? .decimal(value.numberText ?? "")
    case .string: .text(value.string ?? "")
    case .array, .object: .text(compact(value))
    }
  }

  private static func kind(_ value: JSONValue) -> Column.Kind {
    switch value.kind {
    case .bool: .flag
    case .number: value.int == nil ? .decimal : .integer
    default: .text
    }
  }

  private static func compact(_ value: JSONValue) -> String { String(decoding: value.node().encoded(), as: UTF8.self) }
}
