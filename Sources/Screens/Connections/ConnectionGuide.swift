import Model

/// Adds a connection: looks at its address first, says what answers there, and asks for the rest.
struct ConnectionGuide: Overlay {
  var id = 0
  private let address: String
  private var menu: MenuDialog?
  private var isOver = false

  init(_ address: String) { self.address = address }

  func deadline(_ world: World) -> Timestamp? { menu == nil ? Spinner.next(world.now) : nil }

  mutating func handle(_ event: OverlayEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared: return [.ask(RequestID(owner: id, serial: 1), .probe(address))]
    case .reply(_, .probed(let found)): menu = ConnectionGuide.menu(found, world)
    case .reply(_, .failure(let error)): menu = ConnectionGuide.menu(error, address, world)
    case .key(.escape) where menu == nil: return [.dismiss]
    default: return menu?.handle(event, world) ?? []
    }
    return []
  }

  private static func menu(_ found: [ProbeInfo], _ world: World) -> MenuDialog {
    let entries = found.map { info in
      MenuDialog.Entry(info.kind.title, detail: info.detail) { [world] in
        [.present(FormDialog.connection(info.kind, url: info.url, methods: info.methods, world))]
      }
    }
    return MenuDialog(
      title: "Found", message: "This answers at the address:",
      entries: entries + [byHand(found.first?.url ?? "", world)],
      verb: "go on")
  }

  private static func menu(_ error: ServiceError, _ address: String, _ world: World) -> MenuDialog {
    MenuDialog(
      title: "Nothing found", message: "✗ \(StateView.sentence(error.reason)) \(StateView.advice(of: error))",
      entries: [
        MenuDialog.Entry("Change the address") { [.present(FormDialog.address(address))] },
        MenuDialog.Entry("Look once more") { [.present(ConnectionGuide(address))] }, byHand(address, world),
      ], verb: "go on")
  }

  private static func byHand(_ address: String, _ world: World) -> MenuDialog.Entry {
    MenuDialog.Entry("Choose the kind by hand") {
      let kinds = BackendKind.allCases.map { kind in
        MenuDialog.Entry(kind.title) { [.present(FormDialog.connection(kind, url: address, world))] }
      }
      return [.present(MenuDialog(title: "Kind", entries: kinds))]
    }
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if let menu { return menu.render(into: &buffer, area: area, world: world) }
    let inner = DialogFrame.render(
      into: &buffer, area: area, title: "Add a connection", rows: 1, wanted: 50, keys: [("Esc", "cancel")])
    buffer.put(
      Line([Span("\(Spinner.frame(world.now)) ", .accent), Span("Looking at \(address)…", .dim)]),
      column: inner.column, row: inner.row, columns: inner.columns, ground: .dialog)
  }
}

/// A back end that answered at an address.
package struct ProbeInfo: Sendable, Hashable {
  package let kind: BackendKind
  package let url: String
  /// Ways to sign in, as the configuration names them.
  package let methods: [String]
  package let detail: String

  package init(kind: BackendKind, url: String, methods: [String], detail: String) {
    self.kind = kind
    self.url = url
    self.methods = methods
    self.detail = detail
  }
}

/// A change of the configured connections.
package enum ConnectionChange: Sendable {
  /// By id of the form's fields: `name`, `kind`, `url`, `color`, `readOnly`, and dotted paths such as `auth.user`.
  case add([String: Secret])
  /// An empty text takes the setting away.
  case edit(String, [String: Secret])
  case remove(String)

  /// The name of the connection afterwards; nil when it is gone.
  package var name: String? {
    switch self {
    case .add(let fields): fields["name"]?.reveal()
    case .edit(let name, _): name
    case .remove: nil
    }
  }
}

extension FormDialog {
  /// The beginning: an address, which is looked at.
  package static func address(_ initial: String = "") -> FormDialog {
    FormDialog(
      title: "Add a connection", message: "The address is looked at first; nothing is sent there but the question.",
      fields: [FormField("url", "Address", initial: initial, hint: "for example https://host/obp/v5.1.0")],
      submitTitle: "Look"
    ) { [.present(ConnectionGuide($0["url"]?.reveal() ?? ""))] }
  }

  /// What a kind of connection needs beside its address.
  static func connection(_ kind: BackendKind, url: String, methods: [String] = [], _ world: World) -> FormDialog {
    var fields = [
      FormField("name", "Name", initial: freeName(kind, world), hint: "how it is called here: letters, digits, -")
    ]
    switch kind {
    case .omce: fields.append(FormField("plist", "OMC.plist", .file, hint: "path of the configuration Oracle gives"))
    case .openbank, .alfresco, .mobilefirst, .unwired: fields.append(FormField("url", "Address", initial: url))
    }
    if kind == .unwired || kind == .mobilefirst {
      fields.append(FormField("app", "Application", hint: "its id on the server"))
    }
    let known = methods.isEmpty ? standardMethods(kind) : methods
    if kind == .openbank || kind == .alfresco {
      fields.append(
        FormField("auth.method", "Sign-in", .choice(known.map { FormField.Choice($0, $0) }), hint: "← → to choose"))
    }
    if kind == .openbank { fields.append(FormField("auth.consumerKey", "Consumer key", isRequired: false)) }
    if kind == .alfresco {
      fields += [
        FormField("auth.issuer", "Issuer", isRequired: false, hint: "for pkce and device: the identity service"),
        FormField("auth.clientID", "Client id", isRequired: false),
      ]
    }
    if kind != .mobilefirst {
      fields.append(FormField("auth.user", "User", isRequired: false, hint: "asked for at sign-in when left out"))
    }
    return FormDialog(
      title: "Add \(kind.title)", message: "It is written to config.yaml; secrets are asked for at sign-in.",
      fields: fields + guards(color: "", isReadOnly: false), submitTitle: "Add"
    ) { values in
      [.changeConnection(.add(values.merging(["kind": Secret(kind.rawValue)]) { $1 }))]
    }
  }

  static func edit(_ info: ConnectionInfo) -> FormDialog {
    FormDialog(
      title: "Edit \(info.name)", message: "Comments in config.yaml stay as they are.",
      fields: [FormField("url", "Address", initial: info.address, isRequired: info.kind != .omce)]
        + guards(color: info.color ?? "", isReadOnly: info.isReadOnly), submitTitle: "Save"
    ) { [.changeConnection(.edit(info.name, $0))] }
  }

  private static func standardMethods(_ kind: BackendKind) -> [String] {
    kind == .openbank ? ["direct", "oauth1", "oidc", "none"] : ["basic", "ticket", "pkce", "device"]
  }

  /// Production looks different, and may be made safe to look at.
  private static func guards(color: String, isReadOnly: Bool) -> [FormField] {
    var colors = [
      FormField.Choice("", "as the theme"), FormField.Choice("#cc3333", "red: production"),
      FormField.Choice("#cc8800", "amber: staging"), FormField.Choice("#338855", "green: test"),
    ]
    if !colors.contains(where: { $0.value == color }) { colors.append(FormField.Choice(color, color)) }
    return [
      FormField("color", "Colour", .choice(colors), initial: color, isRequired: false, hint: "← → to choose"),
      FormField(
        "readOnly", "Read-only", .flag, initial: isReadOnly ? "true" : "", isRequired: false,
        hint: "Space switches; nothing can be changed then"),
    ]
  }

  private static func freeName(_ kind: BackendKind, _ world: World) -> String {
    let base =
      switch kind {
      case .openbank: "bank"
      case .alfresco: "docs"
      case .omce: "mobile"
      case .mobilefirst: "mfp"
      case .unwired: "field"
      }
    guard world.connection(base) != nil else { return base }
    return (2...99).lazy.map { "\(base)\($0)" }.first { world.connection($0) == nil } ?? base
  }
}
