import Glibc
import Model

/// Remembers of each unfinished download what it is the beginning of, so that only the same content is continued.
///
/// An entry is a small file named after the partial file's device and inode, which stay with it when it is moved and
/// whose reuse by another file is noticed by the path and the location inside.
package struct PartLedger: Sendable {
  package struct Entry: Sendable, Hashable {
    package let location: Location
    package let validator: String
    package let path: String

    package init(location: Location, validator: String, path: String) {
      self.location = location
      self.validator = validator
      self.path = path
    }
  }

  private let directory: String

  package init(_ paths: StandardPaths) { directory = FilePath.joined(paths.state, "parts") }

  package func entry(of file: stat) -> Entry? {
    guard let bytes = try? Files.read(path(of: file), maxBytes: 64 << 10) else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let location = try? Location(parsing: String(lines[0])) else { return nil }
    return Entry(location: location, validator: String(lines[1]), path: String(lines[2]))
  }

  /// Failing to remember costs a later download its head start, nothing else.
  package func remember(_ entry: Entry, of file: stat) {
    guard !entry.validator.contains("\n") else { return }
    let text = "\(entry.location)\n\(entry.validator)\n\(entry.path)"
    try? Files.makeDirectory(directory)
    try? Files.replace(path(of: file), with: Array(text.utf8))
  }

  package func forget(_ file: stat) { unlink(path(of: file)) }

  private func path(of file: stat) -> String { FilePath.joined(directory, "\(file.st_dev)-\(file.st_ino)") }
}
