import JSON
import Model
import Synchronization

/// What a view permits, as the server's booleans say (reference, section 3.5).
struct ViewRights: Sendable, Hashable {
  private let flags: [String: Bool]

  /// - Parameter view: A view in full; one without permissions says nothing.
  init?(_ view: JSONValue) {
    var flags: [String: Bool] = [:]
    for (key, value) in view.members where key.hasPrefix("can_") { flags[key] = value.bool }
    if flags.isEmpty { return nil }
    self.flags = flags
  }

  /// Nil where the server says nothing of it: then it can be tried.
  func permits(_ right: String) -> Bool? { flags[right] }
}

/// The rights of the views that were looked through, asked for once for each.
final class RightsBook: Sendable {
  private struct Key: Hashable {
    let account: AccountID
    let view: String
  }

  private let known = Mutex<[Key: ViewRights?]>([:])

  /// The rights; nil inside when the server would not tell them, nil when it was never asked.
  func rights(_ lens: AccountLens) -> ViewRights?? {
    known.withLock { $0[Key(account: lens.account, view: lens.view)] }
  }

  func keep(_ rights: ViewRights?, _ account: AccountID, _ view: String) {
    known.withLock { $0[Key(account: account, view: view)] = .some(rights) }
  }

  func forget() { known.withLock { $0 = [:] } }
}

extension OpenBankClient {
  /// What the view permits: from an answer that holds it in full, else from the account's views, which the server shows
  /// to owners only; nil where it stays unknown.
  func rights(_ lens: AccountLens, from answer: JSONValue? = nil) async throws(ServiceError) -> ViewRights? {
    for view in answer?["views_available"].elements ?? JSONValue.absent.elements {
      guard let id = view["id"].string, let held = ViewRights(view) else { continue }
      rights.keep(held, lens.account, id)
    }
    if let known = rights.rights(lens) { return known }
    guard !lens.isPublic else { return nil }
    let base = OpenBankClient.path("banks", lens.account.bank, "accounts", lens.account.account)
    do {
      let answer = try await send("\(base)/views", "load what the view “\(lens.view)” permits")
      for view in answer.root["views"].elements {
        if let id = view["id"].string { rights.keep(ViewRights(view), lens.account, id) }
      }
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      // The account itself, seen through the view, holds the view in full in most versions.
      try await learnFromAccount(lens)
    }
    if let known = rights.rights(lens) { return known }
    rights.keep(nil, lens.account, lens.view)
    return nil
  }

  private func learnFromAccount(_ lens: AccountLens) async throws(ServiceError) {
    do {
      let answer = try await send("\(lens.path)/account", "load what the view “\(lens.view)” permits")
      for view in answer.root["views_available"].elements {
        if let id = view["id"].string, let held = ViewRights(view) { rights.keep(held, lens.account, id) }
      }
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
    }
  }
}
