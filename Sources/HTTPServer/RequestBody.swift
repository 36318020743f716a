/// What a client uploaded: in memory up to 8 MiB, in an unlinked temporary file beyond.
package struct RequestBody: Sendable {
  private enum Storage: Sendable {
    case memory([UInt8])
    case mapped(MappedSpool)
  }

  private let storage: Storage

  package init(_ bytes: [UInt8]) {
    storage = .memory(bytes)
  }

  init(_ spool: MappedSpool) {
    storage = .mapped(spool)
  }

  /// Size in bytes.
  package var count: Int {
    switch storage {
    case .memory(let bytes): bytes.count
    case .mapped(let spool): spool.count
    }
  }

  /// All of it as one array; ask `count` first where that could be too much.
  package func bytes() throws -> [UInt8] {
    switch storage {
    case .memory(let bytes): bytes
    case .mapped(let spool): spool.withBytes { Array($0) }
    }
  }

  /// Calls `body` with one piece after the other, each at most 1 MiB.
  package func withChunks(_ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
    switch storage {
    case .memory(let bytes): try bytes.withUnsafeBytes { try Self.split($0, body) }
    case .mapped(let spool): try spool.withBytes { try Self.split($0, body) }
    }
  }

  private static func split(
    _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) rethrows {
    var start = 0
    while start < bytes.count {
      let end = min(start + 1 << 20, bytes.count)
      try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
      start = end
    }
  }
}
