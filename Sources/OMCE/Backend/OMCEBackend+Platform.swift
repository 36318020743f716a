import JSON
import Model
import Wire

/// Policies, the user, and custom APIs.
extension OMCEBackend {
  private static let policyColumns = [
    Column("name", "Name", rank: 0), Column("value", "Value", rank: 0), Column("type", "Type", rank: 1),
  ]

  func policies(_ location: Location, _ query: ListQuery) async throws(ServiceError) -> Listing {
    let answer = try await client.policiesAnswer()
    let rows = try answer.members().map { name, json in
      Row(location.appending(name), [.text(name), MobileValue.of(json), .text(OMCEBackend.type(of: json))])
    }
    return try .whole(location, "Policies", OMCEBackend.policyColumns, rows, query, answer)
  }

  private static func type(of json: JSONValue) -> String {
    switch json.kind {
    case .bool: "boolean"
    case .number: "number"
    case .string: "string"
    case .absent, .null, .array, .object: "other"
    }
  }

  func policiesItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.policiesAnswer()
    return Item(
      location, title: "Policies", sections: [.init("Policies", MobileValue.fields(of: answer.root))],
      related: [Link("As a list", location)], raw: answer.raw, freshness: answer.freshness)
  }

  func policyItem(_ location: Location, _ name: String) async throws(ServiceError) -> Item {
    let answer = try await client.policiesAnswer()
    let json = try answer.object()[name]
    guard json.exists else { throw .notFound(location) }
    let value = MobileValue.of(json)
    return Item(
      location, title: name,
      sections: [
        .init(
          "Policy",
          [
            Field("name", "Name", .text(name)), Field("value", "Value", value, MobileValue.kind(value)),
            Field("type", "Type", .text(OMCEBackend.type(of: json))),
          ])
      ], raw: answer.raw, freshness: answer.freshness)
  }

  func userItem(_ location: Location) async throws(ServiceError) -> Item {
    let answer = try await client.userAnswer()
    let root = try answer.object()
    let known = ["id", "username", "firstName", "lastName", "email", "links"]
    let own = [
      Field("id", "Id", .optional(root["id"].string)), Field("name", "User name", .optional(root["username"].string)),
      Field("firstName", "First name", .optional(root["firstName"].string), isPrivate: true),
      Field("lastName", "Last name", .optional(root["lastName"].string), isPrivate: true),
      Field("email", "E-mail", .optional(root["email"].string), isPrivate: true),
    ]
    let more = MobileValue.fields(of: root).filter { field in
      !known.contains(String(field.id.prefix { $0 != "." }))
    }
    return Item(
      location, title: root["username"].string ?? "Me",
      sections: [.init("User", own), .init("More", more)].filter { !$0.fields.isEmpty }, actions: deviceActions,
      raw: answer.raw,
      freshness: answer.freshness)
  }

  // MARK: Custom APIs

  /// The server lists no custom APIs; what is listed is what the configuration names under `apis`.
  func customAPIs(_ location: Location) -> Listing {
    let names = client.authorization.settings.customAPIs
    return Listing(
      location, title: "Custom APIs", columns: [Column("name", "API", rank: 0)],
      rows: names.map { name in
        Row(
          Location(connection: location.connection, path: ["custom"] + name.split(separator: "/").map(String.init)),
          [.text(name)])
      }, total: .exact(names.count),
      notices: names.isEmpty
        ? [
          "The server does not list its custom APIs: go to \(location)/NAME/…, or name them under apis: in the configuration."
        ]
        : [], actions: [requestAction])
  }

  func customItem(_ location: Location, _ path: [String]) async throws(ServiceError) -> Item {
    let title = path.joined(separator: "/")
    let answer: MobileAnswer
    do throws(ServiceError) {
      answer = try await client.customAnswer(path, query: location.query)
    } catch {
      guard error.code == .unreadable else { throw error }
      return try await customContent(location, path)
    }
    let isList = answer.root.kind == .array || answer.root["items"].kind == .array
    let head = ContentHead(
      name: path.last ?? title, mediaType: answer.raw.mediaType, size: Int64(answer.document.bytes.count),
      validator: answer.headers["ETag"])
    let fields = answer.isEmpty ? [] : MobileValue.fields(of: answer.root)
    var sections = fields.isEmpty ? [] : [Item.Section("Answer", fields)]
    if let tag = answer.headers["ETag"], !fields.contains(where: { $0.id == "etag" }) {
      sections.append(.init("Version", [Field("etag", "ETag", .text(tag))]))
    }
    return Item(
      location, title: title, sections: sections, related: isList ? [Link("As a list", location)] : [],
      actions: isList ? collectionActions : itemActions(answer, title), content: head, raw: answer.raw,
      freshness: answer.freshness,
      notices: (answer.isEmpty ? ["The answer is empty (status \(answer.status))."] : [])
        + (try await notices(of: .item(path))))
  }

  /// Not JSON, which a custom API may well give: it can still be fetched.
  private func customContent(_ location: Location, _ path: [String]) async throws(ServiceError) -> Item {
    let call = client.customCall("GET", path, query: location.query)
    let response = try await client.demand(call)
    return Item(
      location, title: path.joined(separator: "/"), sections: [], content: response.contentHead,
      raw: RawAnswer(bytes: response.body, mediaType: response.headers.mediaType ?? "application/octet-stream"))
  }

  private var collectionActions: [Action] {
    [
      Action(
        "create", "New item", fields: [FormField("body", "JSON", .multiline, initial: "{}")],
        disabled: connection.isReadOnly ? noWriting : nil), requestAction,
    ]
  }

  private func itemActions(_ answer: MobileAnswer, _ title: String) -> [Action] {
    let isObject = answer.root.kind == .object
    let fields = answer.root.members.compactMap { key, value in
      value.kind == .object || value.kind == .array
        ? nil : FormField(key, key, initial: value.text ?? "", isRequired: false)
    }
    let off = connection.isReadOnly ? noWriting : nil
    return [
      Action("edit", "Edit", fields: fields, disabled: off ?? (isObject ? nil : "its answer is no object")),
      Action("delete", "Delete", disabled: off, warning: "Delete \(title) for good"), requestAction,
    ]
  }

  /// A custom API's array, or its `items`, as rows; the columns are whatever names occur in them.
  func customListing(_ location: Location, _ query: ListQuery, _ path: [String]) async throws(ServiceError) -> Listing {
    let answer = try await client.customAnswer(path, query: location.query)
    let list = answer.root.kind == .array ? answer.root : answer.root["items"]
    guard list.kind == .array else {
      throw ServiceError(
        .usage, "list \(location)", detail: "its answer is no list", remedy: "Use: atrium show \(location).")
    }
    var names: [String] = []
    for element in list.elements {
      for (name, _) in element.members where !names.contains(name) { names.append(name) }
    }
    let isFlat = names.isEmpty
    let cells = list.elements.map { element in
      isFlat ? [MobileValue.of(element)] : names.map { MobileValue.of(element[$0]) }
    }
    let columns = (isFlat ? ["value"] : names).enumerated().map { index, name in
      Column(name, isFlat ? "Value" : name, MobileValue.kind(of: cells.map { $0[index] }))
    }
    let links = answer.root["uris"].elements.map { $0.string ?? "" }
    let states = try await states(of: MobileEdit.Target.item(path + [""]).listPath)
    let rows = cells.enumerated().map { index, values in
      let place = index < links.count ? OMCEBackend.custom(links[index], location) : nil
      return Row(
        place ?? location,
        zip(columns, values).map { MobileValue.value($1, in: $0.kind) }
          + (states.map { [$0.value(place?.path.last ?? "")] } ?? []),
        opening: place == nil ? .nothing : .item)
    }
    var listing = try Listing.whole(
      location, path.joined(separator: "/"), columns + (states == nil ? [] : [OMCEBackend.stateColumn]), rows, query,
      answer)
    listing.actions = collectionActions + [OMCEBackend.sync]
    return listing
  }

  /// The place of a row that names its own address, as answers for the synchronisation library do.
  private static func custom(_ uri: String, _ location: Location) -> Location? {
    let names = uri.split(separator: "/").map { URLForm.unescape($0) }
    guard names.count > 2, names[0] == "mobile", names[1] == "custom" else { return nil }
    return Location(connection: location.connection, path: Array(names.dropFirst()))
  }
}

extension Listing {
  /// A listing whose rows all came in one answer, cut to the page that was asked for.
  static func whole(
    _ location: Location, _ title: String, _ columns: [Column], _ rows: [Row], _ query: ListQuery,
    _ answer: MobileAnswer
  ) throws(ServiceError) -> Listing {
    let start = query.cursor == nil ? 0 : Int(query.cursor ?? "") ?? -1
    guard start >= 0 else {
      throw ServiceError(.usage, "go to the next page", detail: "“\(query.cursor ?? "")” is no cursor of this list")
    }
    let first = min(start, rows.count)
    let end = min(rows.count, first + max(query.limit ?? rows.count, 0))
    return Listing(
      location, title: title, columns: columns, rows: Array(rows[first..<end]),
      next: end < rows.count ? String(end) : nil, total: .exact(rows.count), raw: answer.raw,
      freshness: answer.freshness)
  }
}
