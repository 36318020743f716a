import Model
import YAML

/// Reads a theme file: a title, its brightness, a palette of named colours, and a look for every role and ground.
///
/// ```yaml
/// title: Dusk
/// brightness: dark
/// palette: { night: "#1d1f2b", mist: "#c8ccd8" }
/// roles:
///   text: mist
///   title: { color: mist, bold: true }
/// grounds:
///   screen: { background: night }
/// ```
struct ThemeReader {
  let path: String
  private var palette: [String: Color] = [:]
  private(set) var warnings: [Configuration.Warning] = []

  init(path: String) { self.path = path }

  mutating func read(_ bytes: [UInt8], name: String) throws(ServiceError) -> Theme {
    let root: YAMLNode
    do {
      root = try YAMLNode.parse(bytes)
    } catch {
      throw broken(error.message, at: error.position)
    }
    guard let entries = root.entries else { throw broken("a theme must be a mapping", at: root.position) }
    let known = ["title", "brightness", "palette", "roles", "grounds"]
    for (key, _) in entries {
      if let key = key.scalar?.text, known.contains(key) { continue }
      warn(key, among: known)
    }
    palette = try readPalette(root["palette"])
    var roles: [Style.Role: Look] = [:]
    for (name, node, look) in try looks(root["roles"], "roles") {
      guard let role = Style.Role.allCases.first(where: { "\($0)" == name }) else {
        warn(node, among: Style.Role.allCases.map { "\($0)" })
        continue
      }
      roles[role] = look
    }
    var grounds: [Style.Ground: Look] = [:]
    for (name, node, look) in try looks(root["grounds"], "grounds") {
      guard let ground = Style.Ground.allCases.first(where: { "\($0)" == name }) else {
        warn(node, among: Style.Ground.allCases.map { "\($0)" })
        continue
      }
      grounds[ground] = look
    }
    return Theme(
      name: name, title: root["title"]?.text ?? name, brightness: try brightness(root["brightness"]), roles: roles,
      grounds: grounds)
  }

  private func brightness(_ node: YAMLNode?) throws(ServiceError) -> Theme.Brightness {
    guard let node else { return .dark }
    guard let text = node.text, let brightness = Theme.Brightness(rawValue: text) else {
      throw broken("“brightness” must be dark or light", at: node.position)
    }
    return brightness
  }

  private func readPalette(_ node: YAMLNode?) throws(ServiceError) -> [String: Color] {
    guard let node, !node.isNull else { return [:] }
    guard let entries = node.entries else {
      throw broken("“palette” must be a mapping from name to colour", at: node.position)
    }
    var palette: [String: Color] = [:]
    for (key, value) in entries {
      guard let name = key.scalar?.text, let text = value.text, let color = Color(text) else {
        throw broken(
          "“\(key.scalar?.text ?? "")” must be a colour such as \"#cc3333\" (in quotes) or red", at: value.position)
      }
      palette[name] = color
    }
    return palette
  }

  private mutating func looks(
    _ node: YAMLNode?, _ part: String
  ) throws(ServiceError) -> [(name: String, key: YAMLNode, look: Look)] {
    guard let node, !node.isNull else { return [] }
    guard let entries = node.entries else { throw broken("“\(part)” must be a mapping", at: node.position) }
    var looks: [(name: String, key: YAMLNode, look: Look)] = []
    for (key, value) in entries {
      let name = key.scalar?.text ?? ""
      looks.append((name, key, try look(value, "\(part).\(name)")))
    }
    return looks
  }

  /// A mapping of `color`, `background` and attributes, or a colour alone.
  private mutating func look(_ node: YAMLNode, _ name: String) throws(ServiceError) -> Look {
    if node.isNull { return Look() }
    if node.text != nil { return Look(foreground: try color(node, name)) }
    guard let entries = node.entries else { throw broken("“\(name)” must be a colour or a mapping", at: node.position) }
    var look = Look()
    for (key, value) in entries {
      switch key.scalar?.text ?? "" {
      case "color": look.foreground = try color(value, "\(name).color")
      case "background": look.background = try color(value, "\(name).background")
      case "bold": look.isBold = try flag(value, "\(name).bold")
      case "dim": look.isDim = try flag(value, "\(name).dim")
      case "italic": look.isItalic = try flag(value, "\(name).italic")
      case "underline": look.isUnderlined = try flag(value, "\(name).underline")
      case "reverse": look.isReverse = try flag(value, "\(name).reverse")
      default: warn(key, among: ["color", "background", "bold", "dim", "italic", "underline", "reverse"])
      }
    }
    return look
  }

  private func color(_ node: YAMLNode, _ name: String) throws(ServiceError) -> Color {
    guard let text = node.text else { throw broken("“\(name)” must be a colour", at: node.position) }
    if let color = palette[text] ?? Color(text) { return color }
    let hint = Spelling.nearest(to: text, among: Array(palette.keys).sorted() + Color.names)
    throw broken(
      "“\(name)” must be a colour, and is “\(text)”" + (hint.map { "; did you mean “\($0)”?" } ?? ""), at: node.position
    )
  }

  private func flag(_ node: YAMLNode, _ name: String) throws(ServiceError) -> Bool {
    guard let flag = node.bool else { throw broken("“\(name)” must be true or false", at: node.position) }
    return flag
  }

  private mutating func warn(_ key: YAMLNode, among known: [String]) {
    let name = key.scalar?.text ?? ""
    let hint = Spelling.nearest(to: name, among: known).map { "; did you mean “\($0)”?" } ?? ""
    warnings.append(
      Configuration.Warning(
        "unknown key “\(name)”\(hint)", at: Settings.Origin("\(path):\(key.position.line):\(key.position.column)")))
  }

  private func broken(_ message: String, at position: YAMLPosition) -> ServiceError {
    ServiceError(
      .configuration, "read the theme", detail: "\(path):\(position.line):\(position.column): \(message)",
      remedy: "Correct line \(position.line) of the file.")
  }
}
