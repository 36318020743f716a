import JSON
import Model
import Wire

extension AlfrescoClient {
  /// Draws a ticket; every sign-in of a user gets the same one, so ending it ends it for all clients.
  ///
  /// - Throws: `.signInRefused` for a wrong name or password, which this call answers with 403.
  public func createTicket(user: String, password: Secret) async throws(ServiceError) -> Secret {
    let operation = "sign in as \(user)"
    var call = Call(operation, "POST", "tickets")
    call.api = .authentication
    call.isPublic = true
    call = call.carrying(["userId": .string(user), "password": .string(password.reveal())])
    do throws(ServiceError) {
      guard let ticket = try await reply(call).root["entry"]["id"].string else {
        throw ServiceError(.unreadable, operation, detail: "the answer holds no ticket")
      }
      return Secret(ticket)
    } catch {
      guard error.status == 403 || error.status == 401 else { throw error }
      throw ServiceError(
        .signInRefused, operation, detail: error.detail, status: error.status, serverCode: error.serverCode)
    }
  }

  /// Ends the ticket of this session, for every client of this user.
  public func deleteTicket() async throws(ServiceError) {
    var call = Call("sign out", "DELETE", "tickets", "-me-")
    call.api = .authentication
    do throws(ServiceError) {
      _ = try await answer(call)
    } catch {
      // A ticket that is dead already is as good as ended.
      guard [400, 401, 404].contains(error.status) else { throw error }
    }
  }
}
