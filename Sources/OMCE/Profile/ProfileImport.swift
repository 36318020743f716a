import Model
import Store

/// A profile as the configuration takes it over: the whole tree, with every secret named instead of written.
package struct ProfileImport: Sendable {
  package let tree: EditedValue
  /// What is to be kept under the names that the tree gives.
  package let secrets: [(name: String, secret: Secret)]
  package let warnings: [String]
  package let summary: ProfileSummary

  /// - Parameter prefix: What the names of the secrets begin with.
  package init(_ path: String, in directory: String, prefix: String) throws(ServiceError) {
    let (tree, warnings) = try ProfileFile.read(path, in: directory)
    var secrets: [(name: String, secret: Secret)] = []
    self.tree = Self.value(tree, key: "", path: prefix, &secrets)
    self.secrets = secrets
    let name = path.split(separator: "/").last.map(String.init) ?? path
    summary = try ProfileSummary(tree, named: name)
    self.warnings = warnings + ProfileReading(file: name).twoSpellings(tree)
  }

  private static func value(
    _ tree: PropertyTree, key: String, path: String, _ secrets: inout [(name: String, secret: Secret)]
  ) -> EditedValue {
    switch tree {
    case .flag(let flag): return .flag(flag)
    case .secret(let source): return .secret(source)
    case .list(let elements):
      return .list(
        elements.enumerated().map { value($0.element, key: key, path: "\(path)/\($0.offset)", &secrets) })
    case .table(let members):
      return .table(
        members.map { .init($0.key, value($0.value, key: $0.key, path: "\(path)/\($0.key)", &secrets)) })
    case .text(let text):
      guard isSecret(key), !text.isEmpty, !ProfileReading.isPlaceholder(text) else { return .text(text) }
      secrets.append((path, Secret(PropertyTree.trimmed(text))))
      return .secret(.vault(path))
    }
  }

  /// Keys whose values let somebody in.
  private static func isSecret(_ key: String) -> Bool {
    let small = key.lowercased()
    return ["secret", "password", "anonymouskey", "token"].contains { small.hasSuffix($0) }
  }
}
