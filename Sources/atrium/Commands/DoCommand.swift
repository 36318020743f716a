import Model
import Service
import Store

enum DoCommand {
  static let command = Command(
    "do", ["LOCATION ACTION [FIELD=VALUE …]"], "do one of the actions that show lists",
    details: [
      "Fields that are missing are asked for at a terminal. What cannot be undone is asked about, unless --yes.",
      "Say atrium do LOCATION to see the actions.",
    ],
    options: [
      Option("yes", "do not ask"),
      Option("format", choices: ["table", "json"], "json prints the outcome, or the error, as an object"),
    ],
    arguments: 1...Int.max, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let location = try session.location(session.arguments[0])
    let service = try session.service()
    let actions = try await actions(at: location, service)
    guard session.arguments.count > 1 else {
      try session.output.write(list(actions))
      return ExitStatus.done
    }
    let name = session.arguments[1]
    let operation = location.doing(name)
    guard let action = actions.first(where: { $0.id == name }) else {
      throw unknown(name, actions, operation)
    }
    let outcome = try await run(action, at: location, service, session)
    try OutcomePrinter.print(outcome, session)
    return ExitStatus.done
  }

  /// Does one action, asking for the fields that are missing and before what cannot be undone.
  static func run(
    _ action: Action, at location: Location, _ service: ServiceLayer, _ session: Session
  ) async throws(ServiceError) -> ActionOutcome {
    let operation = location.doing(action.id)
    if let reason = action.disabled {
      throw ServiceError(.notOffered, operation, detail: reason, remedy: "See atrium show \(location).")
    }
    let fields = try await fields(of: action, session, operation)
    if let warning = action.warning { try await confirm(warning, session, operation) }
    return try await perform(action, fields, at: location, service, operation)
  }

  /// What takes a file is an upload: the field says which.
  private static func perform(
    _ action: Action, _ fields: [String: String], at location: Location, _ service: ServiceLayer, _ operation: String
  ) async throws(ServiceError) -> ActionOutcome {
    guard let field = action.fields.first(where: { $0.kind == .file }), let path = fields[field.id] else {
      return try await service.perform(action.id, at: location, fields: fields)
    }
    let source: FileSource
    do throws(FileError) { source = try FileSource(path) } catch { throw error.serviceError(operation) }
    let name = FilePath.lastName(of: path)
    let request = UploadRequest(source, name: name, mediaType: MediaType.ofFile(named: name))
    let result = try await service.upload(request, to: location)
    return ActionOutcome("Uploaded \(name)", location: result)
  }

  /// Those of the item, or of the container where the location is only that.
  private static func actions(at location: Location, _ service: ServiceLayer) async throws(ServiceError) -> [Action] {
    var actions: [Action] = []
    let nature = try await service.nature(of: location)
    if nature != .container { actions = try await service.item(location).actions }
    if nature == .item || !actions.isEmpty { return actions }
    return try await service.list(location, ListQuery(limit: 1)).actions
  }

  private static func list(_ actions: [Action]) -> String {
    let width = actions.map { TextWidth.columns(of: $0.id) }.max() ?? 0
    return actions.map { action in
      let fields = action.fields.map { $0.isRequired ? "\($0.id)=…" : "[\($0.id)=…]" }.joined(separator: " ")
      let reason = action.disabled.map { " (not now: \(Visible.printed($0)))" } ?? ""
      return "\(action.id.padded(columns: width))  \(Visible.printed(action.title))\(reason)  \(fields)\n"
    }.joined()
  }

  private static func unknown(_ name: String, _ actions: [Action], _ operation: String) -> ServiceError {
    let ids = actions.map(\.id)
    let hint = Spelling.nearest(to: name, among: ids).map { "Did you mean \($0)? " } ?? ""
    return ServiceError(
      .usage, operation, detail: "there is no action “\(name)” here",
      remedy: hint + (ids.isEmpty ? "Nothing can be done here." : "Actions: \(ids.joined(separator: ", "))."))
  }

  private static func fields(
    of action: Action, _ session: Session, _ operation: String
  ) async throws(ServiceError) -> [String: String] {
    var values: [String: String] = [:]
    for argument in session.arguments.dropFirst(2) {
      guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
        throw .usage("“\(argument)” is not FIELD=VALUE", session.invocation.command)
      }
      let id = String(argument[..<equals])
      guard let field = action.fields.first(where: { $0.id == id }) else {
        let ids = action.fields.map(\.id)
        throw ServiceError(
          .usage, operation, detail: "there is no field “\(id)”",
          remedy: ids.isEmpty ? "It takes none." : "Fields: \(ids.joined(separator: ", ")).")
      }
      let value = String(argument[argument.index(after: equals)...])
      try check(value, of: field, operation)
      values[id] = value
    }
    for field in action.fields where values[field.id] == nil {
      values[field.id] = try await missing(field, session, operation)
    }
    return values
  }

  private static func check(_ value: String, of field: FormField, _ operation: String) throws(ServiceError) {
    switch field.kind {
    case .choice(let choices) where !choices.contains { $0.value == value } && !(value.isEmpty && !field.isRequired):
      throw ServiceError(
        .usage, operation, detail: "\(field.id) cannot be “\(value)”",
        remedy: "Choose one of \(choices.map(\.value).joined(separator: ", ")).")
    case .integer where Int64(value) == nil && !value.isEmpty:
      throw ServiceError(.usage, operation, detail: "\(field.id) must be a whole number, not “\(value)”")
    case .flag where !["true", "false"].contains(value):
      throw ServiceError(.usage, operation, detail: "\(field.id) must be true or false, not “\(value)”")
    default: break
    }
  }

  /// A field nobody gave: its initial value, or what the person says, or an error.
  private static func missing(
    _ field: FormField, _ session: Session, _ operation: String
  ) async throws(ServiceError) -> String? {
    if let secret = field.initialSecret { return secret.reveal() }
    if !field.initial.isEmpty { return field.initial }
    guard field.isRequired else { return nil }
    guard Prompt.isPossible else {
      throw ServiceError(
        .usage, operation, detail: "the field \(field.id) is missing", remedy: "Give it: \(field.id)=…")
    }
    let title = Visible.printed(field.title)
    let value = try await Prompt.secret("\(title): ", echo: field.kind != .secret, to: session.errors).reveal()
    try check(value, of: field, operation)
    return value
  }

  /// Asks before what cannot be undone; where nobody can be asked it is not done.
  static func confirm(_ warning: String, _ session: Session, _ operation: String) async throws(ServiceError) {
    if session.invocation.has("yes") { return }
    guard Prompt.isPossible else {
      throw ServiceError(
        .usage, operation, detail: "this asks before it is done, and nobody can be asked here",
        remedy: "Add --yes if it is meant.")
    }
    guard try await Prompt.confirm(Visible.printed(warning) + "?", to: session.errors) else {
      throw ServiceError(.cancelled, operation, detail: "you said no")
    }
  }
}

enum RemoveCommand {
  static let command = Command(
    "rm", ["LOCATION"], "delete",
    options: [
      Option("yes", "do not ask"),
      Option("format", choices: ["table", "json"], "json prints the outcome, or the error, as an object"),
    ],
    arguments: 1...1, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let location = try session.location(session.arguments[0])
    try await DoCommand.confirm("Delete \(location)", session, "delete \(location)")
    let outcome = try await session.service().delete(location)
    try OutcomePrinter.print(outcome, session)
    return ExitStatus.done
  }
}
