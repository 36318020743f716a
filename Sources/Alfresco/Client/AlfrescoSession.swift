import Model
import Synchronization
import Wire

/// How a caller proves to the repository who it is.
public enum AlfrescoCredential: Sendable, Hashable {
  case basic(user: String, password: Secret)
  /// A ticket of `POST tickets`; ends an hour after its last use.
  case ticket(Secret)
  /// An access token of the identity service.
  case bearer(Secret)

  /// The value of the `Authorization` header.
  var authorization: Secret {
    switch self {
    case .basic(let user, let password): Secret("Basic " + Base64Text.encode("\(user):\(password.reveal())"))
    // The ticket stands alone, without a colon.
    case .ticket(let ticket): Secret("Basic " + Base64Text.encode(ticket.reveal()))
    case .bearer(let token): Secret("Bearer " + token.reveal())
    }
  }
}

/// The credential of a client, which may change while requests are under way.
public final class AlfrescoSession: Sendable {
  private struct State {
    var credential: AlfrescoCredential?
    var user: String?
  }

  private let state: Mutex<State>

  public init(_ credential: AlfrescoCredential? = nil, user: String? = nil) {
    state = Mutex(State(credential: credential, user: user))
  }

  public var credential: AlfrescoCredential? { state.withLock(\.credential) }
  /// The signed-in person's id, as far as known.
  public var user: String? { state.withLock(\.user) }

  public func signedIn(_ credential: AlfrescoCredential, user: String?) {
    state.withLock { $0 = State(credential: credential, user: user) }
  }

  public func forget() { state.withLock { $0 = State() } }
}
