import Glibc

/// A directory of its own for one test; it goes, with everything in it, when the value does.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    var template = Array("/tmp/atrium-test-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw RawClient.Failure(call: "mkdtemp", number: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit { Self.remove(path) }

  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, for what a test starts from.
  package func write(_ text: String, to name: String) throws {
    guard let file = fopen(file(name), "w") else { throw RawClient.Failure(call: "fopen", number: errno) }
    defer { fclose(file) }
    let bytes = Array(text.utf8)
    guard fwrite(bytes, 1, bytes.count, file) == bytes.count else {
      throw RawClient.Failure(call: "fwrite", number: errno)
    }
  }

  /// The text of a file; nil when there is none.
  package func text(_ name: String) -> String? {
    guard let file = fopen(file(name), "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  package func exists(_ name: String) -> Bool { access(file(name), F_OK) == 0 }

  /// Names in it, sorted.
  package var names: [String] { Self.names(in: path).sorted() }

  private static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func remove(_ path: String) {
    for name in names(in: path) {
      let inner = "\(path)/\(name)"
      if unlink(inner) != 0 { remove(inner) }
    }
    rmdir(path)
  }
}
