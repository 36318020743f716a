import Synchronization

/// The collections: what was generated, and what has been written since.
final class StorageService: Sendable {
  /// Which objects a list is of, and how.
  struct Query: Sendable {
    /// nil for shared collections and for everybody's objects.
    var owner: String?
    var text = ""
    var attribute = "id"
    var isDescending = false
    var isOrdered = false
    var offset = 0
    var limit = 100
  }

  /// One page, and how many there are in all.
  struct Page: Sendable {
    let objects: [StorageObject]
    let total: Int
  }

  private struct Key: Hashable {
    let owner: String?
    let id: String
  }

  /// What differs from the seed in one collection.
  private struct Changes {
    var written: [Key: StorageObject] = [:]
    var deleted: Set<Key> = []

    var isEmpty: Bool { written.isEmpty && deleted.isEmpty }
  }

  private let seed: StorageSeed
  private let changes = Mutex<[String: Changes]>([:])
  private let conflicts = Mutex(0)
  /// Bytes of collections that nobody has changed.
  private let lengths = Mutex<[String: Int]>([:])

  init(_ setting: DoorSetting, users: [OMCUser]) { seed = StorageSeed(setting: setting, users: users) }

  func reset() {
    changes.withLock { $0 = [:] }
    conflicts.withLock { $0 = 0 }
  }

  /// The next write finds that somebody else was faster.
  func orderConflict() { conflicts.withLock { $0 += 1 } }

  func takeConflict() -> Bool {
    conflicts.withLock { count in
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }

  func list(_ collection: StorageCollection, _ query: Query) -> Page {
    let changes = changes.withLock { $0[collection.id] ?? Changes() }
    let count = seed.count(collection)
    // The one large collection is paged without looking at what the page does not show.
    if changes.isEmpty && collection.id == "Big" && query.text.isEmpty && !query.isOrdered {
      let range = min(query.offset, count)..<min(query.offset + query.limit, count)
      return Page(objects: range.map { seed.object($0, in: collection) }, total: count)
    }
    var all = (0..<count).map { seed.object($0, in: collection) }.filter { object in
      let key = Key(owner: object.owner, id: object.id)
      return changes.written[key] == nil && !changes.deleted.contains(key)
    }
    all += changes.written.values
    all = all.filter { (query.owner == nil || $0.owner == query.owner) && Self.matches($0, query.text) }
    all.sort { Self.precedes($0, $1, query) }
    let range = min(query.offset, all.count)..<min(query.offset + query.limit, all.count)
    return Page(objects: Array(all[range]), total: all.count)
  }

  func object(_ id: String, owner: String?, in collection: StorageCollection) -> StorageObject? {
    let key = Key(owner: owner, id: id)
    let known = changes.withLock { all -> (isDeleted: Bool, written: StorageObject?) in
      (all[collection.id]?.deleted.contains(key) ?? false, all[collection.id]?.written[key])
    }
    return known.isDeleted ? nil : known.written ?? seeded(key, in: collection)
  }

  private func seeded(_ key: Key, in collection: StorageCollection) -> StorageObject? {
    if collection.id == "Big" {
      guard key.id.hasPrefix("reading-"), let index = Int(key.id.dropFirst(8)), (0..<seed.count(collection)) ~= index
      else { return nil }
      let object = seed.object(index, in: collection)
      return object.id == key.id ? object : nil
    }
    return (0..<seed.count(collection)).lazy.map { self.seed.object($0, in: collection) }
      .first { $0.id == key.id && $0.owner == key.owner }
  }

  /// Decides and writes in one step, so that of two writers with the same tag only one wins.
  ///
  /// - Parameter decide: Gets the object as it is and returns what it becomes; nil deletes it.
  func write<Failure: Error>(
    _ id: String, owner: String?, in collection: StorageCollection,
    _ decide: (StorageObject?) throws(Failure) -> StorageObject?
  ) throws(Failure) -> StorageObject? {
    let key = Key(owner: owner, id: id)
    let outcome = changes.withLock { all -> Result<StorageObject?, Failure> in
      var changes = all[collection.id] ?? Changes()
      let present = changes.deleted.contains(key) ? nil : changes.written[key] ?? seeded(key, in: collection)
      do throws(Failure) {
        let next = try decide(present)
        changes.written[key] = next
        if next == nil { changes.deleted.insert(key) } else { changes.deleted.remove(key) }
        all[collection.id] = changes
        return .success(next)
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// Somebody else, tess, writes something else into an object; false when there is none.
  func edit(_ id: String, owner: String?, in collection: StorageCollection, at now: SandboxTime) -> Bool {
    guard object(id, owner: owner, in: collection) != nil else { return false }
    return write(id, owner: owner, in: collection) { old in
      guard var edited = old else { return nil }
      edited.version += 1
      edited.modifiedBy = "tess"
      edited.modifiedOn = now
      edited.content = .bytes(Array("Edited by tess.\n".utf8))
      return edited
    } != nil
  }

  /// Bytes of all objects.
  func contentLength(of collection: StorageCollection) -> Int {
    if changes.withLock({ $0[collection.id] }) == nil, let known = lengths.withLock({ $0[collection.id] }) {
      return known
    }
    let length = measure(collection)
    if changes.withLock({ $0[collection.id] }) == nil { lengths.withLock { $0[collection.id] = length } }
    return length
  }

  private func measure(_ collection: StorageCollection) -> Int {
    list(collection, Query(limit: .max / 2)).objects.reduce(0) { $0 + $1.content.count }
  }

  /// Any case, any part of id, name, creator or modifier; a trailing `%` stands for any ending.
  private static func matches(_ object: StorageObject, _ text: String) -> Bool {
    var wanted = text.lowercased()
    if wanted.hasSuffix("%") { wanted.removeLast() }
    guard !wanted.isEmpty else { return true }
    return [object.id, object.name, object.createdBy, object.modifiedBy].contains { $0.lowercased().contains(wanted) }
  }

  static let attributes: Set<String> = [
    "id", "name", "contentLength", "contentType", "createdBy", "createdOn", "modifiedBy", "modifiedOn",
  ]

  private static func precedes(_ left: StorageObject, _ right: StorageObject, _ query: Query) -> Bool {
    let (first, second) = query.isDescending ? (right, left) : (left, right)
    func decided<T: Comparable>(_ value: (StorageObject) -> T) -> Bool? {
      value(first) == value(second) ? nil : value(first) < value(second)
    }
    let order =
      switch query.attribute {
      case "name": decided(\.name)
      case "contentLength": decided(\.content.count)
      case "contentType": decided(\.contentType)
      case "createdBy": decided(\.createdBy)
      case "createdOn": decided(\.createdOn)
      case "modifiedBy": decided(\.modifiedBy)
      case "modifiedOn": decided(\.modifiedOn)
      default: nil as Bool?
      }
    return order ?? ((first.id, first.owner ?? "") < (second.id, second.owner ?? ""))
  }
}
