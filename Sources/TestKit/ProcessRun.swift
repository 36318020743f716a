import Dispatch
import Glibc

/// A program run to its end, with what it printed.
package struct ProcessRun: Sendable {
  package let output: [UInt8]
  package let errors: String
  /// Exit status; 128 and the signal's number when a signal ended it.
  package let status: Int32
  /// Whether its memory went into a core file.
  package let hasDumpedCore: Bool
  /// The most memory it held at once, in bytes.
  package let peakMemory: Int

  package var text: String { String(decoding: output, as: UTF8.self) }

  /// Runs a program on a thread of its own; after `seconds` it is killed.
  package static func of(
    _ program: String, _ arguments: [String], environment: [String: String], input: String = "", seconds: Int = 30
  ) async throws -> ProcessRun {
    let running = try RunningProcess(program, arguments, environment: environment)
    running.write(input)
    return await running.end(seconds: seconds)
  }
}

/// A program that runs beside the test.
package final class RunningProcess: Sendable {
  package let identifier: pid_t
  private let input: Int32
  private let output: Int32
  private let errors: Int32

  package init(_ program: String, _ arguments: [String], environment: [String: String]) throws {
    var pipes: [[Int32]] = []
    for _ in 0..<3 {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw RawClient.Failure(call: "pipe", number: errno) }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes.append(ends)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0)
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1)
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var process: pid_t = 0
    let number = posix_spawn(&process, program, &actions, nil, words, variables)
    for end in [pipes[0][0], pipes[1][1], pipes[2][1]] { close(end) }
    guard number == 0 else {
      for end in [pipes[0][1], pipes[1][0], pipes[2][0]] { close(end) }
      throw RawClient.Failure(call: "posix_spawn \(program)", number: number)
    }
    identifier = process
    (input, output, errors) = (pipes[0][1], pipes[1][0], pipes[2][0])
  }

  /// Gives it its standard input, then ends that.
  package func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    close(input)
  }

  package func signal(_ number: Int32) { kill(identifier, number) }

  /// The first line it prints, or says; nil when there is none within ten seconds.
  package func firstLine(ofErrors: Bool = false) async -> String? {
    await onThread { [output = ofErrors ? errors : output] in
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      while poll(&wait, 1, 10_000) == 1, read(output, &byte, 1) == 1 {
        if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
        bytes.append(byte)
      }
      return nil
    }
  }

  /// Reads to the end of both streams and waits; after `seconds` it is killed.
  package func end(seconds: Int = 30) async -> ProcessRun {
    await onThread { [self] in
      var streams: [(descriptor: Int32, bytes: [UInt8])] = [(output, []), (errors, [])]
      var open: Set<Int32> = [output, errors]
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let limit = ContinuousClock.now.advanced(by: .seconds(seconds))
      while !open.isEmpty {
        var waits = open.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = poll(&waits, nfds_t(waits.count), 200)
        if ContinuousClock.now > limit { kill(identifier, SIGKILL) }
        for wait in waits where wait.revents != 0 {
          let count = read(wait.fd, &buffer, buffer.count)
          guard count > 0 else {
            open.remove(wait.fd)
            continue
          }
          for index in streams.indices where streams[index].descriptor == wait.fd {
            streams[index].bytes += buffer[..<count]
          }
        }
      }
      var status: Int32 = 0
      var usage = rusage()
      while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
      close(output)
      close(errors)
      return ProcessRun(
        output: streams[0].bytes, errors: String(decoding: streams[1].bytes, as: UTF8.self),
        status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F,
        hasDumpedCore: status & 0x80 != 0, peakMemory: Int(usage.ru_maxrss) << 10)
    }
  }

  private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
  }
}
