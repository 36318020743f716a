import Glibc

/// Other programs that show or edit something. Each call says what went wrong, or nothing.
@MainActor
package protocol ProgramRunner: AnyObject {
  /// Runs `$PAGER` on a file and waits; the terminal is lent meanwhile.
  func page(file: String) -> String?
  func edit(file: String) -> String?
  /// Hands an address or a file to the desktop and does not wait.
  func open(_ target: String) -> String?
  /// Puts text on a clipboard of this machine; the name of the program that took it, nil where there is none.
  func clip(_ text: String) -> String?
  /// A private file with these bytes, under a name like the one given; nil when it cannot be written.
  func temporaryFile(_ bytes: [UInt8], name: String) -> String?
  func remove(_ file: String)
  /// What a file holds now; nil when it cannot be read.
  func content(of file: String) -> [UInt8]?
}

/// Runs programs of this system.
@MainActor
package final class SystemPrograms: ProgramRunner {
  private let environment: [String: String]
  private var directories: [String] = []

  package init(environment: [String: String]) { self.environment = environment }

  package func page(file: String) -> String? {
    let pager = environment["PAGER"].flatMap { $0.isEmpty ? nil : $0 } ?? "less"
    // The text goes in as it is: escape sequences of a server must not reach the terminal through a pager's raw mode.
    return runShell(pager, file, name: "PAGER")
  }

  package func edit(file: String) -> String? {
    let editor = environment["EDITOR"].flatMap { $0.isEmpty ? nil : $0 } ?? "vi"
    return runShell(editor, file, name: "EDITOR")
  }

  package func open(_ target: String) -> String? {
    let opener = environment["BROWSER"].flatMap { $0.isEmpty || !target.hasPrefix("http") ? nil : $0 } ?? "xdg-open"
    // A second fork by the shell leaves the program to init, so that no one has to wait for it.
    let script = "command -v \"$1\" >/dev/null 2>&1 || exit 127; (\"$1\" \"$2\" >/dev/null 2>&1 </dev/null &)"
    let status = spawn(["/bin/sh", "-c", script, "sh", opener, target])
    return status == 0 ? nil : "Could not open it: there is no \(opener) here. The address is \(target)"
  }

  package func temporaryFile(_ bytes: [UInt8], name: String) -> String? {
    let base = environment["XDG_RUNTIME_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/atrium-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    directories.append(directory)
    let path = "\(directory)/\(SystemPrograms.safe(name))"
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return nil }
      rest = rest.dropFirst(count)
    }
    return path
  }

  package func remove(_ file: String) {
    unlink(file)
    guard let slash = file.lastIndex(of: "/") else { return }
    let directory = String(file[..<slash])
    rmdir(directory)
    directories.removeAll { $0 == directory }
  }

  package func content(of file: String) -> [UInt8]? {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { Glibc.close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += buffer[..<count]
    }
  }

  /// One name in a directory, without anything a shell or a file system would act on.
  private static func safe(_ name: String) -> String {
    let kept = name.unicodeScalars.map { scalar in
      scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "-_. ".unicodeScalars.contains(scalar)
        ? Character(scalar) : "_"
    }
    let text = String(kept.prefix(80))
    return text.isEmpty || text.hasPrefix(".") ? "content\(text)" : text
  }

  package func clip(_ text: String) -> String? {
    guard let (name, command) = clipboard, let file = temporaryFile(Array(text.utf8), name: "clipboard") else {
      return nil
    }
    defer { remove(file) }
    // The text goes in through a private file: arguments are for everybody to see.
    let script = "command -v \(name) >/dev/null 2>&1 || exit 127; exec \(command) <\"$1\" >/dev/null 2>&1"
    return spawn(["/bin/sh", "-c", script, "sh", file]) == 0 ? name : nil
  }

  /// The program that reaches the clipboard from here. Over ssh only the terminal does.
  private var clipboard: (name: String, command: String)? {
    func has(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    if has("TMUX") { return ("tmux", "tmux load-buffer -w -") }
    if has("SSH_CONNECTION") || has("SSH_TTY") { return nil }
    if has("WAYLAND_DISPLAY") { return ("wl-copy", "wl-copy") }
    guard has("DISPLAY") else { return nil }
    let hasXclip = spawn(["/bin/sh", "-c", "command -v xclip >/dev/null 2>&1"]) == 0
    return hasXclip ? ("xclip", "xclip -selection clipboard -in") : ("xsel", "xsel --clipboard --input")
  }

  /// The variable may hold arguments, so the shell splits it; the file is an argument of its own.
  private func runShell(_ command: String, _ file: String, name: String) -> String? {
    let status = spawn(["/bin/sh", "-c", "exec \(command) \"$1\"", "sh", file])
    return status == 127 ? "Could not run “\(command)”: set $\(name) to a program that is installed" : nil
  }

  /// Runs a program in the foreground of this terminal; its exit status, or 127 when it could not be started.
  private func spawn(_ arguments: [String]) -> Int32 {
    var pid = pid_t()
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for variable in variables { free(variable) } }
    // The child gets signals as a program expects them; here Ctrl-C must not end the browser meanwhile.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGQUIT, SIGPIPE, SIGTSTP] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    guard posix_spawn(&pid, arguments[0], nil, &attributes, &pointers, &variables) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}
