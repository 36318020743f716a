import JSON
import Model

/// The fields that a security check wants, as far as its name tells.
///
/// A challenge does not say which fields its answer has; the product's samples use these two shapes, and configuration
/// may name others.
struct CheckForm: Sendable {
  let check: String
  let fields: [String]
  /// May be left out of an answer.
  static let optional: Set<String> = ["rememberMe"]

  init(_ check: String, configured: [String]) {
    self.check = check
    let name = check.lowercased()
    var fields: [String] = []
    if name.contains("pin") {
      fields = ["pin"]
    } else if name.contains("login") || name.contains("user") {
      fields = ["username", "password", "rememberMe"]
    }
    fields += configured.filter { !fields.contains($0) }
    self.fields = fields.isEmpty ? ["answer"] : fields
  }

  /// Whether values for these fields are a whole answer.
  func isComplete(_ names: [String]) -> Bool {
    fields.allSatisfy { names.contains($0) || Self.optional.contains($0) }
  }

  func formFields(_ initial: [String: Secret], keepsSecrets: Bool) -> [FormField] {
    fields.map { name in
      let isRequired = !Self.optional.contains(name)
      if Self.isFlag(name) {
        return FormField(name, Self.title(name), .flag, initial: "false", isRequired: false)
      }
      if Self.isSecret(name) {
        return FormField(
          name, Self.title(name), .secret, initialSecret: keepsSecrets ? initial[name] : nil, isRequired: isRequired)
      }
      return FormField(name, Self.title(name), .text, initial: initial[name]?.reveal() ?? "", isRequired: isRequired)
    }
  }

  /// The answer object; flags are Booleans, everything else text. A lone `answer` may be an object of its own.
  func answer(_ values: [String: Secret]) -> JSONNode {
    if fields == ["answer"], let text = values["answer"]?.reveal(), text.hasPrefix("{"),
      let document = try? JSONDocument(text)
    {
      return document.root.node()
    }
    var members: [JSONNode.Member] = []
    let names = fields + values.keys.filter { !fields.contains($0) }.sorted()
    for name in names {
      guard let value = values[name]?.reveal(), !value.isEmpty else { continue }
      members.append(
        JSONNode.Member(key: name, value: Self.isFlag(name) ? .bool(value == "true") : .string(value)))
    }
    return .object(members)
  }

  private static func isFlag(_ name: String) -> Bool { name == "rememberMe" }

  private static func isSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["password", "pin", "secret", "code", "otp", "answer", "token"].contains { name.contains($0) }
  }

  private static func title(_ name: String) -> String {
    switch name {
    case "username": "User"
    case "password": "Password"
    case "pin": "PIN"
    case "rememberMe": "Remember me"
    case "answer": "Answer"
    default: name
    }
  }
}
