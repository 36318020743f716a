import Model
import Wire

/// The view through which an account is read, and so the calls that can be used.
struct AccountLens: Sendable, Hashable {
  let account: AccountID
  let view: String
  /// Nobody is signed in: only what is public.
  let isPublic: Bool

  /// The owner has shorter calls of his own; they refuse everybody else (reference, trap 14).
  var isOwner: Bool { view == "owner" && !isPublic }

  /// `/banks/B/accounts/A/V`.
  var path: String { OpenBankClient.path("banks", account.bank, "accounts", account.account, view) }
  var ownPath: String { "/my" + OpenBankClient.path("banks", account.bank, "accounts", account.account) }
  var publicPath: String { OpenBankClient.path("banks", account.bank, "public", "accounts", account.account, view) }
  var audience: OpenBankClient.Audience { isPublic ? .anybody : .user }
}

extension OpenBankClient {
  /// Does something through the view that is asked for, else through the best one held.
  ///
  /// Without a list that named the views, the owner's is tried first. When the view is refused, whether it was a guess
  /// or what some list said a while ago, the list is loaded anew, and the best of it tried.
  func look<Answer>(
    at account: AccountID, through view: String?, _ operation: String,
    _ body: (AccountLens) async throws(ServiceError) -> Answer
  ) async throws(ServiceError) -> Answer {
    try await settleVersion()
    let isPublic = session.method == .none
    if let view { return try await body(AccountLens(account: account, view: view, isPublic: isPublic)) }
    var known = knownViews(of: account)
    if known.isEmpty, isPublic { known = try await findViews(of: account, .open, operation) }
    guard let first = OpenBankClient.best(known) ?? (isPublic ? nil : "owner") else {
      throw ServiceError(.forbidden, operation, detail: "this account shows nothing to the public")
    }
    do {
      return try await body(AccountLens(account: account, view: first, isPublic: isPublic))
    } catch {
      guard error.code == .forbidden || error.serverCode == "OBP-30005" else { throw error }
      let found = try await findViews(of: account, isPublic ? .open : .mine, operation)
      guard let best = OpenBankClient.best(found), best != first else { throw error }
      return try await body(AccountLens(account: account, view: best, isPublic: isPublic))
    }
  }

  private static func best(_ views: [ViewSummary]) -> String? {
    (views.first { $0.id == "owner" } ?? views.first)?.id
  }

  private func findViews(
    of account: AccountID, _ which: OpenBankPlace.Accounts, _ operation: String
  ) async throws(ServiceError) -> [ViewSummary] {
    _ = try await accountsAnswer(bank: account.bank, which, operation)
    return knownViews(of: account)
  }
}
