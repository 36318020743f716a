import JSON
import Model
import Store

// Personalisation keys: `CustomCustom1` to `4` on the server, `SET.NAME` here. A change counts from the next synchronisation.
extension UnwiredBackend {
  private struct Parameter {
    let name: String
    let scope: String
    let value: String?
  }

  private static let serverNames = (1...4).map { "CustomCustom\($0)" }

  private func known(_ operation: String) async throws(ServiceError) -> [Parameter] {
    let store = try await offline.store(operation)
    let custom: ApplicationSettings?
    if surroundings.isOffline || !client.isReady {
      custom = try keeping(operation) { () throws(OfflineError) in try store.fact("settings") }
        .map { ApplicationSettings(kept: $0) }
    } else {
      custom = try await application.refreshSettings()
    }
    let kept = try keeping(operation) { () throws(OfflineError) in try PersonalizationParameters(of: store) }
    let server = zip(Self.serverNames, custom?.custom ?? [nil, nil, nil, nil])
      .map { Parameter(name: $0, scope: "server", value: $1) }
    let client = kept.bySet.flatMap { set, values in
      values.map { Parameter(name: "\(set).\($0)", scope: "client", value: $1) }
    }
    return server + client.sorted { $0.name < $1.name }
  }

  func parameters(_ location: Location, _ operation: String) async throws(ServiceError) -> Listing {
    let known = try await known(operation)
    let disabled = connection.isReadOnly ? EntityActions.readOnly : nil
    let set = Action(
      "set", "Set a key",
      fields: [
        FormField("name", "Key", hint: "SET.NAME, or CustomCustom1 to 4 for the server's own"),
        FormField("value", "Value", isRequired: false),
      ], disabled: disabled)
    return Listing(
      location, title: "Personalisation keys",
      columns: [Column("name", "Key", rank: 0), Column("scope", "Scope"), Column("value", "Value", rank: 0)],
      rows: known.map {
        Row(location.appending($0.name), [.text($0.name), .text($0.scope), .optional($0.value)], opening: .item)
      }, total: .exact(known.count), actions: [set])
  }

  func parameterItem(
    _ name: String, _ location: Location, _ operation: String
  ) async throws(ServiceError) -> Item {
    guard let parameter = try await known(operation).first(where: { $0.name == name }) else {
      throw .notFound(location)
    }
    let disabled = connection.isReadOnly ? EntityActions.readOnly : nil
    let value = FormField("value", "Value", initial: parameter.value ?? "", isRequired: false)
    return Item(
      location, title: name,
      sections: [
        Item.Section(
          "Key",
          [
            Field("name", "Key", .text(name)), Field("scope", "Scope", .text(parameter.scope)),
            Field("value", "Value", .optional(parameter.value)),
          ])
      ],
      actions: [
        Action("set", "Set it", fields: [value], disabled: disabled), Action("remove", "Remove it", disabled: disabled),
      ])
  }

  /// - Parameter value: Empty to remove it.
  func setParameter(_ name: String, _ value: String, _ operation: String) async throws(ServiceError) -> ActionOutcome {
    guard !connection.isReadOnly else { throw ServiceError(.readOnly, operation) }
    if Self.serverNames.contains(name) {
      guard !surroundings.isOffline else { throw ServiceError(.offline, operation) }
      // One blank is how the server writes a custom setting that is unset.
      let text = JSONNode.string(value.isEmpty ? " " : value)
      try await client.updateRegistration([JSONNode.Member(key: name, value: text)])
      return ActionOutcome("Set \(name) on the server.")
    }
    let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
    let isOption = parts.count == 2 && parts[1].allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    guard isOption, !(parts.first ?? "").isEmpty else {
      throw ServiceError(
        .usage, operation, detail: "“\(name)” is no personalisation key",
        remedy: "Name it SET.NAME with letters, digits and underscores, or CustomCustom1 to CustomCustom4.")
    }
    let store = try await offline.store(operation)
    try keeping(operation) { () throws(OfflineError) in
      var parameters = try PersonalizationParameters(of: store)
      try parameters.set(parts[1], of: parts[0], to: value.isEmpty ? nil : value, in: store)
    }
    return ActionOutcome("“\(parts[0])” is loaded with it from the next synchronisation on.")
  }
}
