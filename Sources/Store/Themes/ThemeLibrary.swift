import Model

/// Themes by name, looked for in several directories: the person's own first.
package struct ThemeLibrary: Sendable {
  /// A theme with what was odd in its file.
  package struct Loaded: Sendable {
    package let theme: Theme
    package let path: String
    package let warnings: [Configuration.Warning]
  }

  /// Stands for a light or a dark theme, as the terminal's ground is.
  package static let automatic = "auto"

  /// The theme that `automatic` stands for on such a ground; a dark one where the terminal does not say.
  package static func automaticName(on brightness: Theme.Brightness?) -> String {
    brightness == .light ? "dawn" : "dusk"
  }

  package let directories: [String]

  package init(directories: [String]) { self.directories = directories }

  /// The person's `themes/`, `share/atrium/themes` of the installation, and `Themes/` beside the program or above it, as
  /// in a source tree.
  package init(paths: StandardPaths, executable: String) {
    let bin = FilePath.directory(of: executable)
    var directories = [paths.themes, FilePath.joined(FilePath.directory(of: bin), "share/atrium/themes")]
    var above = bin
    for _ in 0..<5 where above != "/" && above != "." {
      directories.append(FilePath.joined(above, "Themes"))
      above = FilePath.directory(of: above)
    }
    self.init(directories: directories)
  }

  /// Names of all themes, each once, sorted.
  package var names: [String] {
    var names = Set<String>()
    for directory in directories {
      for file in Files.names(in: directory) where file.hasSuffix(".yaml") { names.insert(String(file.dropLast(5))) }
    }
    return names.sorted()
  }

  /// Loads a theme by name, or a file when the text has a slash or ends in `.yaml`.
  ///
  /// - Throws: `.notFound` naming those there are; `.configuration` with file, line and column when it is broken.
  package func load(_ nameOrFile: String) throws(ServiceError) -> Loaded {
    if nameOrFile.contains("/") || nameOrFile.hasSuffix(".yaml") { return try load(file: nameOrFile) }
    if nameOrFile == Theme.plain.name { return Loaded(theme: .plain, path: "", warnings: []) }
    for directory in directories {
      let path = FilePath.joined(directory, nameOrFile + ".yaml")
      if Files.exists(path) { return try load(file: path) }
    }
    let hint = Spelling.nearest(to: nameOrFile, among: names).map { "Did you mean \($0)? " } ?? ""
    throw ServiceError(
      .notFound, "find the theme \(nameOrFile)", detail: "no theme has this name",
      remedy: hint + "Themes: \((names + [Theme.plain.name]).joined(separator: ", ")).")
  }

  package func load(file path: String) throws(ServiceError) -> Loaded {
    let bytes: [UInt8]
    do {
      bytes = try Files.read(path, maxBytes: 1 << 20)
    } catch {
      throw error.serviceError("read the theme")
    }
    let file = FilePath.lastName(of: path)
    var reader = ThemeReader(path: path)
    let theme = try reader.read(bytes, name: file.hasSuffix(".yaml") ? String(file.dropLast(5)) : file)
    return Loaded(theme: theme, path: path, warnings: reader.warnings)
  }
}
