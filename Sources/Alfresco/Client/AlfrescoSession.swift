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

/// Gives out a credential that is alive, renewing it before it ends.
public protocol CredentialSource: Sendable {
  func credential() async throws(ServiceError) -> AlfrescoCredential?
}

/// The credential of a client, which may change while requests are under way.
public final class AlfrescoSession: Sendable {
  private struct State {
    var credential: AlfrescoCredential?
    var user: String?
    var isAdministrator = false
  }

  private let state: Mutex<State>
  /// Where the credential comes from when it changes by itself; nil for one that is set here.
  private let source: (any CredentialSource)?

  public init(
    _ credential: AlfrescoCredential? = nil, user: String? = nil, source: (any CredentialSource)? = nil
  ) {
    self.source = source
    state = Mutex(State(credential: credential, user: user))
  }

  public var credential: AlfrescoCredential? { state.withLock(\.credential) }

  /// What the next request carries, read at the last moment: a token may have been renewed since.
  public func credentialToSend() async throws(ServiceError) -> AlfrescoCredential? {
    guard let source else { return credential }
    return try await source.credential()
  }

  /// The signed-in person's id, as far as known.
  public var user: String? { state.withLock(\.user) }

  /// As far as the server has said so.
  public var isAdministrator: Bool { state.withLock(\.isAdministrator) }

  public func signedIn(_ credential: AlfrescoCredential, user: String?, isAdministrator: Bool = false) {
    state.withLock { $0 = State(credential: credential, user: user, isAdministrator: isAdministrator) }
  }

  public func forget() { state.withLock { $0 = State() } }
}
