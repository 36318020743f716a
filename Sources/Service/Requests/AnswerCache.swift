import Model
import Synchronization

/// The answers of one connection, kept in memory: the least recently used go first.
final class AnswerCache: Sendable {
  struct ListingKey: Hashable, Sendable {
    let location: Location
    let query: ListQuery
  }

  private struct Entry<Value: Sendable>: Sendable {
    let value: Value
    let received: Timestamp
    let cost: Int
    var used: Int
  }

  private struct State {
    var listings: [ListingKey: Entry<Listing>] = [:]
    var items: [Location: Entry<Item>] = [:]
    var natures: [Location: LocationNature] = [:]
    var cost = 0
    var clock = 0
    /// Counts the writes: what was asked before one is not kept after it.
    var epoch = 0
  }

  private let state = Mutex(State())
  /// Rows and fields in all.
  private let limit: Int

  init(limit: Int = 60_000) { self.limit = limit }

  var epoch: Int { state.withLock { $0.epoch } }

  /// The kept page, marked with the moment it was received.
  func listing(_ key: ListingKey) -> Listing? {
    state.withLock { state in
      guard let entry = state.listings[key] else { return nil }
      state.clock += 1
      state.listings[key]?.used = state.clock
      var listing = entry.value
      if listing.freshness == .live { listing.freshness = .cached(entry.received) }
      return listing
    }
  }

  func item(_ location: Location) -> Item? {
    state.withLock { state in
      guard let entry = state.items[location] else { return nil }
      state.clock += 1
      state.items[location]?.used = state.clock
      var item = entry.value
      if item.freshness == .live { item.freshness = .cached(entry.received) }
      return item
    }
  }

  func nature(_ location: Location) -> LocationNature? { state.withLock { $0.natures[location] } }

  /// - Parameter epoch: As it was when the question was sent.
  func keep(_ listing: Listing, for key: ListingKey, at received: Timestamp, epoch: Int) {
    state.withLock { state in
      guard epoch == state.epoch else { return }
      state.clock += 1
      let entry = Entry(value: listing, received: received, cost: listing.rows.count + 20, used: state.clock)
      state.cost += entry.cost - (state.listings.updateValue(entry, forKey: key)?.cost ?? 0)
      trim(&state)
    }
  }

  func keep(_ item: Item, for location: Location, at received: Timestamp, epoch: Int) {
    state.withLock { state in
      guard epoch == state.epoch else { return }
      state.clock += 1
      let cost = item.sections.reduce(20) { $0 + $1.fields.count } + (item.raw?.bytes.count ?? 0) / 100
      let entry = Entry(value: item, received: received, cost: cost, used: state.clock)
      state.cost += entry.cost - (state.items.updateValue(entry, forKey: location)?.cost ?? 0)
      trim(&state)
    }
  }

  func keep(_ nature: LocationNature, for location: Location, epoch: Int) {
    state.withLock { state in
      guard epoch == state.epoch else { return }
      if state.natures.count > 5_000 { state.natures = [:] }
      state.natures[location] = nature
    }
  }

  /// After a write: a payment changes balances elsewhere, a move two folders, so nothing here can be trusted.
  func forgetAll() {
    state.withLock { state in
      let (epoch, clock) = (state.epoch + 1, state.clock)
      state = State()
      (state.epoch, state.clock) = (epoch, clock)
    }
  }

  private func trim(_ state: inout State) {
    guard state.cost > limit else { return }
    let listings = state.listings.map { (used: $0.value.used, cost: $0.value.cost, key: Victim.listing($0.key)) }
    let items = state.items.map { (used: $0.value.used, cost: $0.value.cost, key: Victim.item($0.key)) }
    for victim in (listings + items).sorted(by: { $0.used < $1.used }) {
      // A quarter of room is made at once, so that this does not happen at every answer.
      guard state.cost > limit * 3 / 4 else { return }
      state.cost -= victim.cost
      switch victim.key {
      case .listing(let key): state.listings[key] = nil
      case .item(let location): state.items[location] = nil
      }
    }
  }

  private enum Victim {
    case listing(ListingKey)
    case item(Location)
  }
}
