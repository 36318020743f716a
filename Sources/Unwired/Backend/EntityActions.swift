import Model

/// What can be done with rows on the server.
enum EntityActions {
  static let readOnly = "this connection is read-only"

  static func create(_ type: ODataMetadata.EntityType?, isReadOnly: Bool) -> Action {
    let fields = (type?.properties ?? []).map { property in
      let isKey = type?.keys.contains(property.name) ?? false
      return field(property, initial: "", isRequired: !property.isNullable && !isKey)
    }
    let reason = type == nil ? "the service does not describe its properties" : nil
    return Action("create", "New row", fields: fields, disabled: isReadOnly ? readOnly : reason)
  }

  static func edit(_ entity: Entity, _ type: ODataMetadata.EntityType?, isReadOnly: Bool) -> Action {
    let fields = (type?.properties ?? []).filter { type?.keys.contains($0.name) == false }.map { property in
      let value = EntityValues.value(entity[property.name], type: property.type)
      return field(property, initial: value.exactText, isRequired: false)
    }
    let reason = type == nil ? "the service does not describe its properties" : nil
    return Action("edit", "Edit", fields: fields, disabled: isReadOnly ? readOnly : reason)
  }

  static func delete(_ title: String, isReadOnly: Bool) -> Action {
    Action(
      "delete", "Delete", disabled: isReadOnly ? readOnly : nil, warning: "Delete \(title) on the server for good")
  }

  private static func field(_ property: ODataMetadata.Property, initial: String, isRequired: Bool) -> FormField {
    let kind: FormField.Kind =
      switch EntityValues.kind(property.type) {
      case .integer: .integer
      case .flag: .flag
      case .date: .date
      default: .text
      }
    return FormField(property.name, property.name, kind, initial: initial, isRequired: isRequired)
  }
}
