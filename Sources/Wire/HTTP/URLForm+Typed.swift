extension URLForm {
  /// A path, perhaps with a query, as a person types it: what cannot stand in an address is escaped, and what is escaped
  /// already stays. It begins with a slash.
  package static func typed(_ path: String) -> String {
    var text = path.hasPrefix("/") ? "" : "/"
    for scalar in path.unicodeScalars {
      let isPlain =
        scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F
        && !"\"<>\\^`{|}".unicodeScalars.contains(scalar)
      text += isPlain ? String(scalar) : escape(String(scalar))
    }
    return text
  }
}
