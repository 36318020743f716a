import Glibc

/// Where files of each sort live: the XDG base directories, each with `atrium` below it.
package struct StandardPaths: Sendable, Hashable {
  /// `config.yaml` and `themes/`.
  package let configuration: String
  /// Vault and offline store.
  package let data: String
  /// Session state, history, logs, and what is known of unfinished downloads.
  package let state: String
  /// Disposable.
  package let cache: String

  package init(configuration: String, data: String, state: String, cache: String) {
    self.configuration = configuration
    self.data = data
    self.state = state
    self.cache = cache
  }

  /// Reads the XDG variables; one that is unset, empty or relative counts for nothing, as the specification demands.
  package init(environment: [String: String]) {
    let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/"
    func base(_ variable: String, _ fallback: String) -> String {
      let named = environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
      return FilePath.joined(named ?? FilePath.joined(home, fallback), "atrium")
    }
    self.init(
      configuration: base("XDG_CONFIG_HOME", ".config"), data: base("XDG_DATA_HOME", ".local/share"),
      state: base("XDG_STATE_HOME", ".local/state"), cache: base("XDG_CACHE_HOME", ".cache"))
  }

  /// All four below one directory, for a run that must leave nothing behind.
  package init(under directory: String) {
    self.init(
      configuration: FilePath.joined(directory, "config"), data: FilePath.joined(directory, "data"),
      state: FilePath.joined(directory, "state"), cache: FilePath.joined(directory, "cache"))
  }

  package var configurationFile: String { FilePath.joined(configuration, "config.yaml") }
  package var offline: String { FilePath.joined(data, "offline") }
  package var themes: String { FilePath.joined(configuration, "themes") }
}

/// Path arithmetic on text, without touching the file system.
package enum FilePath {
  package static func joined(_ directory: String, _ name: String) -> String {
    if name.hasPrefix("/") || directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// Everything before the last name; `.` when there is only a name.
  package static func directory(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// The current directory; `.` where it has gone.
  package static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "." }
    defer { free(path) }
    return String(cString: path)
  }

  package static func lastName(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path
  }

  /// A path that a file of `directory` names: `~/` means the home, a relative one starts at the directory.
  package static func resolved(_ path: String, in directory: String, home: String?) -> String {
    if path.hasPrefix("~/"), let home { return joined(home, String(path.dropFirst(2))) }
    return joined(directory, path)
  }
}
