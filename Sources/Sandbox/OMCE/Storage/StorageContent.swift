import HTTPServer

/// What an object holds, readable from any place without holding it.
enum StorageContent: Sendable {
  case bytes([UInt8])
  case uploaded(RequestBody)
  /// Bytes that are a function of the seed and their place.
  case noise(seed: UInt64, count: Int)
  /// Drawn when it is asked for.
  case png(Picture)
  case jpeg(Picture, count: Int)

  var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .uploaded(let body): body.count
    case .noise(_, let count), .jpeg(_, let count): count
    case .png: Picture.pngCount
    }
  }

  /// A part of it as an answer's body; large parts are made while they are sent.
  func body(_ range: Range<Int>) -> ResponseBody {
    switch self {
    case .bytes(let bytes): return .bytes(Array(bytes[range]))
    case .png(let picture): return .bytes(Array(picture.png()[range]))
    case .jpeg(let picture, let count): return .bytes(Array(picture.jpeg(count: count)[range]))
    case .uploaded, .noise: return generated(range)
    }
  }

  private func generated(_ range: Range<Int>) -> ResponseBody {
    .generated(length: range.count) { offset, into in
      let start = range.lowerBound + offset
      let count = Swift.min(into.count, range.upperBound - start)
      guard count > 0 else { return 0 }
      copy(from: start, into: UnsafeMutableRawBufferPointer(rebasing: into[..<count]))
      return count
    }
  }

  private func copy(from start: Int, into target: UnsafeMutableRawBufferPointer) {
    switch self {
    case .uploaded(let body): Self.copy(body, from: start, into: target)
    case .noise(let seed, _): Self.fill(target, seed: seed, from: start)
    case .bytes, .png, .jpeg: break
    }
  }

  /// Chunks before the part are passed over without being touched.
  private static func copy(_ body: RequestBody, from start: Int, into target: UnsafeMutableRawBufferPointer) {
    var position = 0
    var filled = 0
    body.withChunks { chunk in
      defer { position += chunk.count }
      guard position + chunk.count > start, filled < target.count else { return }
      let skipped = max(0, start - position)
      let part = chunk[skipped...].prefix(target.count - filled)
      UnsafeMutableRawBufferPointer(rebasing: target[filled...]).copyMemory(from: .init(rebasing: part))
      filled += part.count
    }
  }

  private static func fill(_ target: UnsafeMutableRawBufferPointer, seed: UInt64, from start: Int) {
    var place = 0
    while place < target.count {
      let position = start + place
      let word = word(seed, at: position / 8)
      if position % 8 == 0 && place + 8 <= target.count {
        target.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
        place += 8
      } else {
        target[place] = UInt8(truncatingIfNeeded: word >> UInt64(position % 8 * 8))
        place += 1
      }
    }
  }

  private static func word(_ seed: UInt64, at index: Int) -> UInt64 {
    var z = seed &+ UInt64(index) &* 0x9e37_79b9_7f4a_7c15
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    return z ^ (z >> 27)
  }
}
