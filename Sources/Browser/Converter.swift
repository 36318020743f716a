import Dispatch
import Glibc
import Model
import Screens

/// Has a program of this machine make something of some content that can be looked at.
///
/// The content goes into a private file; what the program writes is read up to a bound. Neither a program that hangs nor
/// one that writes for ever holds anything up: it is ended after ten seconds.
struct Converter: Sendable {
  let environment: [String: String]
  private static let seconds = 10
  private static let mostOutput = 4 << 20

  func convert(_ bytes: [UInt8], _ conversion: Conversion) async throws(ServiceError) -> String {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async { [self] in
        continuation.resume(returning: run(bytes, conversion))
      }
    }
    return try result.get()
  }

  /// Blocks: runs on a queue of its own.
  private func run(_ bytes: [UInt8], _ conversion: Conversion) -> Result<String, ServiceError> {
    guard let file = PrivateFile(bytes, directory: environment["TMPDIR"] ?? "/tmp") else {
      return .failure(ServiceError(.failed, conversion.operation, detail: "no temporary file could be written"))
    }
    defer { file.remove() }
    let outcome = output(of: conversion.command(file.path))
    switch outcome {
    case .success(let text): return conversion.finished(text)
    case .failure(.missing):
      return .failure(
        ServiceError(
          .notOffered, conversion.operation, detail: "there is no \(conversion.program) here",
          remedy: "Install \(conversion.package), or download it and open it elsewhere (o)."))
    case .failure(.failed(let status)):
      return .failure(
        ServiceError(
          .failed, conversion.operation, detail: "\(conversion.program) could make nothing of it (status \(status))",
          remedy: "Download it and open it elsewhere (o)."))
    }
  }

  private enum Failure: Error { case missing, failed(Int32) }

  /// Where a program lies, by this environment's `PATH`.
  private func found(_ program: String) -> String? {
    let directories = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    return directories.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
  }

  private func output(of command: [String]) -> Result<String, Failure> {
    guard let program = found(command[0]) else { return .failure(.missing) }
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return .failure(.failed(errno)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var pid = pid_t()
    let status = posix_spawn(&pid, program, &actions, nil, &arguments, &variables)
    close(ends[1])
    defer { close(ends[0]) }
    guard status == 0 else { return .failure(status == ENOENT ? .missing : .failed(status)) }
    let (bytes, isWhole) = read(ends[0])
    if !isWhole { kill(pid, SIGKILL) }
    var end: Int32 = 0
    while waitpid(pid, &end, 0) < 0, errno == EINTR {}
    guard isWhole, end == 0 else { return .failure(end >> 8 == 127 ? .missing : .failed(end >> 8)) }
    return .success(String(decoding: bytes, as: UTF8.self))
  }

  /// All that comes within the time and the bound; false where more would have come.
  private func read(_ descriptor: Int32) -> ([UInt8], Bool) {
    let limit = DispatchTime.now() + .seconds(Self.seconds)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < Self.mostOutput {
      let left = Int32(
        clamping: (Int64(limit.uptimeNanoseconds) - Int64(DispatchTime.now().uptimeNanoseconds)) / 1_000_000)
      guard left > 0 else { return (bytes, false) }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&wait, 1, left)
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return (bytes, false) }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return (bytes, count == 0) }
      bytes += buffer[..<count]
    }
    return (bytes, false)
  }
}

extension Conversion {
  fileprivate var program: String {
    switch self {
    case .pdfText: "pdftotext"
    case .picture: "chafa"
    }
  }

  fileprivate var package: String {
    switch self {
    case .pdfText: "poppler-utils"
    case .picture: "chafa"
    }
  }

  fileprivate var operation: String {
    switch self {
    case .pdfText: "show the words of the PDF"
    case .picture: "show the picture"
    }
  }

  fileprivate func command(_ file: String) -> [String] {
    switch self {
    case .pdfText: ["pdftotext", "-layout", "-enc", "UTF-8", file, "-"]
    case .picture(let room, .blocks(let colors)):
      [
        "chafa", "--format", "symbols", "--colors", Self.colorMode(colors), "--symbols", "block+border+space",
        "--animate", "off", "--size", "\(room.columns)x\(room.rows)", file,
      ]
    case .picture(let room, .graphics(let canvas)):
      GraphicSequence(room: room, canvas: canvas).command(file)
    }
  }

  private static func colorMode(_ colors: Int) -> String {
    switch colors {
    case ..<8: "none"
    case ..<16: "8"
    case ..<256: "16"
    case 256: "240"
    default: "full"
    }
  }

  /// What the program wrote, as it may be shown.
  fileprivate func finished(_ text: String) -> Result<String, ServiceError> {
    guard case .picture(let room, .graphics(let canvas)) = self else { return .success(text) }
    guard let sequence = GraphicSequence(room: room, canvas: canvas).checked(text) else {
      return .failure(
        ServiceError(
          .failed, operation, detail: "chafa wrote something else than a picture",
          remedy: "Say pictures: blocks in the configuration."))
    }
    return .success(sequence)
  }
}

/// A file that only this user may read, in a directory of its own.
struct PrivateFile {
  let path: String
  private let directory: String

  init?(_ bytes: [UInt8], directory base: String, name: String = "content") {
    var template = Array("\(base)/atrium-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = "\(directory)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      rmdir(directory)
      return nil
    }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else {
        remove()
        return nil
      }
      rest = rest.dropFirst(count)
    }
  }

  func remove() {
    unlink(path)
    rmdir(directory)
  }
}
