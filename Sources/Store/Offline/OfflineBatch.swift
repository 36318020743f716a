import Crypto
import Dispatch
import SQLite

/// Rows on their way from the file to the scan, still sealed, in pieces that several threads open at once.
///
/// Opening costs more than reading: one thread reads, all processors open. A batch holds at most some megabytes, however
/// long the set is.
struct OfflineBatch: ~Copyable {
  /// Rows of one thread's turn: few enough that no thread waits long for the last one.
  private static let pieceRows = 1_024
  private static let pieces = 8

  /// A run of rows: for each its place, and where tag and sealed bytes lie one after the other.
  private struct Piece {
    var places: [Int64] = []
    var ends: [Int] = []
    var bytes: [UInt8] = []

    mutating func clear() {
      places.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      bytes.removeAll(keepingCapacity: true)
    }
  }

  private let set: OfflineSet
  private let store: OfflineStore
  private let scan: OfflineScan
  private var filled: [Piece]
  private var current = 0

  init(_ set: OfflineSet, _ store: OfflineStore, _ scan: OfflineScan) {
    self.set = set
    self.store = store
    self.scan = scan
    filled = [Piece](repeating: Piece(), count: Self.pieces)
  }

  /// Takes the statement's current row; the batch is looked through when it is full.
  mutating func take(_ statement: Statement, into found: inout OfflineScan.Found) throws(OfflineError) {
    guard case .integer(let place) = statement.column(0) else { throw store.damaged("a row was changed") }
    let isTag = statement.withBlob(1) { tag in
      filled[current].bytes.append(contentsOf: tag)
      return tag.count == OfflineStore.tagBytes
    }
    guard isTag else { throw store.damaged("a row was changed") }
    statement.withBlob(2) { filled[current].bytes.append(contentsOf: $0) }
    filled[current].places.append(place)
    filled[current].ends.append(filled[current].bytes.count)
    guard filled[current].places.count == Self.pieceRows else { return }
    current += 1
    if current == Self.pieces { try look(into: &found) }
  }

  /// Looks through what has been taken since the last time.
  mutating func look(into found: inout OfflineScan.Found) throws(OfflineError) {
    let pieces = filled.prefix(current + 1).filter { !$0.places.isEmpty }
    var results = [Result<OfflineScan.Found, OfflineError>](
      repeating: .success(OfflineScan.Found()), count: pieces.count)
    results.withUnsafeMutableBufferPointer { results in
      // Each turn writes the one place that is its own, and all have ended before the buffer is looked at again.
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: pieces.count) { [set, store, scan] index in
        results[index] = Self.looked(at: pieces[index], set, store, scan)
      }
    }
    for result in results { found.add(try result.get()) }
    for index in filled.indices { filled[index].clear() }
    current = 0
  }

  private static func looked(
    at piece: Piece, _ set: OfflineSet, _ store: OfflineStore, _ scan: OfflineScan
  ) -> Result<OfflineScan.Found, OfflineError> {
    do throws(OfflineError) {
      let cipher = try store.cipher()
      var opener = OfflineOpener(set)
      var found = OfflineScan.Found()
      let isWhole = piece.bytes.withUnsafeBytes { bytes -> Bool in
        var start = 0
        for (place, end) in zip(piece.places, piece.ends) {
          let tag = UnsafeRawBufferPointer(rebasing: bytes[start..<start + OfflineStore.tagBytes])
          let sealed = UnsafeRawBufferPointer(rebasing: bytes[start + OfflineStore.tagBytes..<end])
          start = end
          if !scan.changed.isEmpty, let row = scan.changed[Array(tag)] {
            if let row { scan.take(row, &found) }
            continue
          }
          guard let plain = try? opener.open(sealed, tag: tag, cipher), let reader = OfflineLayout.Reader(plain) else {
            return false
          }
          scan.look(reader, place, &found)
        }
        return true
      }
      guard isWhole else { return .failure(store.damaged("a row was changed")) }
      return .success(found)
    } catch {
      return .failure(error)
    }
  }
}

/// Opens row after row into the same memory, which is wiped at the end.
struct OfflineOpener: ~Copyable {
  private let binding: UnsafeMutableRawBufferPointer
  private let prefixCount: Int
  private var target = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)

  init(_ set: OfflineSet) {
    let prefix = OfflineStore.Place.rowBinding(set.id)
    prefixCount = prefix.count
    binding = .allocate(byteCount: prefix.count + OfflineStore.tagBytes, alignment: 16)
    binding.copyBytes(from: prefix)
  }

  deinit {
    target.initializeMemory(as: UInt8.self, repeating: 0)
    target.deallocate()
    binding.deallocate()
  }

  /// A row in the clear, until the next one is opened.
  ///
  /// - Parameter tag: Of `OfflineStore.tagBytes` bytes; the row is bound to it.
  mutating func open(
    _ sealed: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, _ cipher: borrowing AES256GCMCipher
  ) throws(CryptoError) -> UnsafeRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: binding[prefixCount...]).copyMemory(from: tag)
    if sealed.count > target.count {
      target.initializeMemory(as: UInt8.self, repeating: 0)
      target.deallocate()
      target = .allocate(byteCount: sealed.count * 2, alignment: 16)
    }
    let count = try cipher.open(sealed, authenticating: UnsafeRawBufferPointer(binding), into: target)
    return UnsafeRawBufferPointer(rebasing: target[..<count])
  }
}
