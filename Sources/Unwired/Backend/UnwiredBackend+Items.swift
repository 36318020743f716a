import JSON
import Model

extension UnwiredBackend {
  public func item(_ location: Location) async throws(ServiceError) -> Item {
    let operation = "show \(location)"
    switch try UnwiredPlace(location) {
    case .connection:
      return try await during(operation) { () async throws(ServiceError) in
        registrationItem(try await client.registration(), location)
      }
    case .entity(let set, let key):
      return try await during(operation) { () async throws(ServiceError) in
        try await entityItem(set, key, location)
      }
    case .keptRow(let set, let key): return try await keptItem(set, key, location, operation)
    case .edit(let id): return try await editItem(id, location, operation)
    case .parameter(let name): return try await parameterItem(name, location, operation)
    case .root, .live, .set, .relation, .kept, .keptSet, .pending, .parameters: throw ServiceError.noItem(location)
    }
  }

  /// The service's path of a row, and what its type is.
  func path(
    _ set: String, _ key: String
  ) async throws(ServiceError) -> (path: String, type: ODataMetadata.EntityType?, version: ODataVersion) {
    let metadata = try await metadata()
    let type = metadata?.type(ofSet: set)
    let version = metadata?.version ?? .v2
    return (set + EntityKey(text: key, names: type?.keys ?? []).predicate(type, version), type, version)
  }

  private func entityItem(_ set: String, _ key: String, _ location: Location) async throws(ServiceError) -> Item {
    let (path, type, _) = try await path(set, key)
    let (entity, raw) = try await client.entity(path)
    let fields = entity.properties.map { member in
      let kind = type?.property(member.key)?.type
      return Field(
        member.key, member.key, EntityValues.value(member.value, type: kind), EntityValues.kind(kind))
    }
    var sections = [Item.Section(type?.name ?? set, fields)]
    if let tag = entity.tag, entity["etag"] == nil {
      sections.append(Item.Section("Version", [Field("etag", "Tag", .text(tag))]))
    }
    let links = entity.relations.map { Link($0.name, location.appending($0.name)) }
    let title = "\(set) \(key)"
    return Item(
      location, title: title, sections: sections, related: links,
      actions: [
        EntityActions.edit(entity, type, isReadOnly: connection.isReadOnly),
        EntityActions.delete(title, isReadOnly: connection.isReadOnly),
      ], raw: raw)
  }

  private func registrationItem(_ registration: Registration, _ location: Location) -> Item {
    var groups: [String: [Field]] = [:]
    for setting in registration.settings {
      let value = EntityValues.value(setting.value, type: nil)
      let field = Field(setting.key, setting.key, value, isPrivate: setting.key == "UserName")
      groups[RegistrationGroup.title(setting.key), default: []].append(field)
    }
    let sections = RegistrationGroup.titles.compactMap { title in
      groups[title].map { Item.Section(title, $0) }
    }
    let custom = (1...4).map { number in
      let name = "CustomCustom\(number)"
      let initial = EntityValues.value(registration[name], type: nil).exactText
      return FormField(name, "Custom \(number)", initial: initial, isRequired: false)
    }
    let disabled = connection.isReadOnly ? EntityActions.readOnly : nil
    return Item(
      location, title: registration.id, sections: sections,
      related: [Link("Data on the server", Location(connection: connection.name, path: ["live"]))],
      actions: [
        Action("edit", "Change custom settings", fields: custom, disabled: disabled),
        Action(
          "unregister", "Remove the registration", disabled: disabled,
          warning: "Remove the registration of this device; signing in again makes a new one"),
      ], raw: registration.raw)
  }
}

/// How the many settings of a registration are grouped for people.
enum RegistrationGroup {
  static let titles = ["Registration", "Device", "Custom", "Password policy", "Push", "Logs", "Endpoints", "Other"]

  static func title(_ name: String) -> String {
    switch name {
    case "ETag", "ApplicationConnectionId", "UserName", "CreatedAt", "ApplicationVersion", "Email", "PushGroup":
      "Registration"
    case "UserLocale", "TimeZone", "LastKnownLocation", "FormFactor": "Device"
    case _ where name.hasPrefix("Device"): "Device"
    case _ where name.hasPrefix("Custom") && name.hasPrefix("CustomCustom"): "Custom"
    case _ where name.hasPrefix("PasswordPolicy"): "Password policy"
    case _ where ["Apns", "Android", "Mpns", "Wns", "Blackberry", "InApp"].contains { name.hasPrefix($0) }: "Push"
    case _ where name.contains("Log") || name.contains("Trace") || name.contains("Usage"): "Logs"
    case _ where name.hasPrefix("Proxy") || name == "CustomizationBundleId": "Endpoints"
    default: "Other"
    }
  }
}
