import Glibc
import Testing

/// Every seed, and every input that once broke something, through its target again.
@Suite(.timeLimit(.minutes(2))) struct CorpusTests {
  private static let folder = String(#filePath.dropLast("Replay/CorpusTests.swift".count)) + "Corpus"

  @Test(arguments: FuzzTarget.all.map(\.name)) func `a target bears its corpus`(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let files = Self.names(in: "\(Self.folder)/\(name)")
    #expect(!files.isEmpty, "no seeds for \(name)")
    for file in files {
      let bytes = try Self.bytes("\(Self.folder)/\(name)/\(file)")
      target.run(bytes)
      // Cut and bent at many places: as much fuzzing as a quick test can be.
      for place in stride(from: 0, to: min(bytes.count, 400), by: 3) {
        target.run(Array(bytes.prefix(place)))
        var bent = bytes
        bent[place] ^= UInt8(truncatingIfNeeded: 1 << (place % 8))
        target.run(bent)
      }
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name)) func `a target bears what makes no sense`(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    for bytes in [[], [0], [0xFF, 0xFE], [UInt8](repeating: 0x5B, count: 5_000), Array(0...255)] { target.run(bytes) }
    for text in ["9223372036854775807", "-9223372036854775808", "1e999", "/Date(-9223372036854775808)/"] {
      target.run(Array(text.utf8))
      target.run(Array(#"{"access_token":"x","expires_in":\#(text),"exp":\#(text)}"#.utf8))
    }
  }

  private static func names(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = fread(&buffer, 1, buffer.count, file)
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }
}
