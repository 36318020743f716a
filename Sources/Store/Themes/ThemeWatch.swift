import Dispatch
import Glibc

/// Tells when files in some directories change: the kernel says so (inotify), nothing is polled.
///
/// Directories are watched and not files, since editors put a new file in the old one's place.
package final class ThemeWatch: Sendable {
  private let descriptor: Int32
  private let source: Listening

  /// Set up by one thread and never touched again but to be cancelled, which any thread may do.
  private struct Listening: @unchecked Sendable {
    let source: any DispatchSourceRead
  }

  /// - Parameter onChange: Called on a queue of Dispatch with the names of theme files that were written.
  /// - Returns: Nil where the kernel watches nothing, or there is no directory.
  package init?(_ directories: [String], onChange: @escaping @Sendable (Set<String>) -> Void) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard descriptor >= 0 else { return nil }
    let mask = UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)
    let watched = directories.filter { inotify_add_watch(descriptor, $0, mask) >= 0 }
    guard !watched.isEmpty else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
    source.setEventHandler { @Sendable in
      let names = ThemeWatch.names(descriptor).filter { $0.hasSuffix(".yaml") }
      if !names.isEmpty { onChange(names) }
    }
    source.setCancelHandler { @Sendable in close(descriptor) }
    source.resume()
    self.source = Listening(source: source)
  }

  deinit { source.source.cancel() }

  /// Names in the events that have come.
  private static func names(_ descriptor: Int32) -> Set<String> {
    var names = Set<String>()
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return names }
      var offset = 0
      let head = MemoryLayout<inotify_event>.size
      while offset + head <= count {
        let event = buffer.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: inotify_event.self) }
        let name = buffer[(offset + head)..<min(count, offset + head + Int(event.len))].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        offset += head + Int(event.len)
      }
    }
  }
}
