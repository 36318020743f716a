import Model
import Store

/// Shows the pages on which people sign in: `OBPWebViewProvider` of OBPKit, for a program without a web view.
///
/// OBPKit feeds every navigation of its web view to a filter; here the page leads back to a port on loopback where the
/// sign-in listens by itself, or shows a code for a person to type.
public struct OpenBankPages: Asker {
  private let show: @Sendable (_ url: String) async throws(ServiceError) -> Void
  private let verifier: (@Sendable () async throws(ServiceError) -> Secret?)?
  /// What to give to `OpenBankSession.signIn` with it.
  public let request: SignInRequest

  /// The program shows the address itself, in a label or a web view, and the page leads back to loopback
  /// (`OBPDefaultWebViewProvider` in the app).
  public static func loopback(
    _ show: @escaping @Sendable (_ url: String) async throws(ServiceError) -> Void
  ) -> OpenBankPages {
    OpenBankPages(show: show, verifier: nil, request: SignInRequest(page: .print))
  }

  /// The page shows a verifier, and a person types it here.
  ///
  /// - Parameter verifier: What was typed; nil when the person gives up.
  public static func outOfBand(
    _ show: @escaping @Sendable (_ url: String) async throws(ServiceError) -> Void,
    verifier: @escaping @Sendable () async throws(ServiceError) -> Secret?
  ) -> OpenBankPages {
    OpenBankPages(show: show, verifier: verifier, request: SignInRequest(page: .outOfBand))
  }

  /// The system's own browser (`configureToUseExternalWebViewer`): `$BROWSER`, else `xdg-open`.
  ///
  /// - Parameters:
  ///   - program: Another one; it gets the address as its only argument.
  ///   - environment: Of this process; a browser wants to know its display and its home.
  public static func externalBrowser(
    program: String? = nil, environment: [String: String]
  ) -> OpenBankPages {
    let chosen = program ?? environment["BROWSER"].flatMap { $0.isEmpty ? nil : $0 } ?? "xdg-open"
    return OpenBankPages(
      show: { url throws(ServiceError) in
        do {
          _ = try await CommandOutput.of([chosen, url], environment: environment, limit: nil)
        } catch {
          throw ServiceError(
            .failed, "open a browser", detail: "“\(chosen)” could not be started",
            remedy: "Open this address yourself: \(url)", cause: error)
        }
      }, verifier: nil, request: SignInRequest(page: .open))
  }

  public func ask(_ question: Question) async throws(ServiceError) -> Answer {
    switch question.kind {
    case .browser(let url), .device(_, let url, _):
      try await wait(showing: url)
      throw .cancelled(question.title)
    case .form(let fields, _):
      guard let verifier, let field = fields.first else { throw ServiceError(.signInNeeded, question.title) }
      let mark = "open "
      try await show(question.message.hasPrefix(mark) ? String(question.message.dropFirst(mark.count)) : "")
      guard let typed = try await verifier() else { throw .cancelled(question.title) }
      return .fields([field.id: typed])
    case .confirmation, .choice: throw ServiceError(.signInNeeded, question.title)
    }
  }

  /// Until the question is withdrawn, which happens when the page has led back, or the page cannot be shown. A browser
  /// that goes on in the foreground keeps nobody waiting.
  private func wait(showing url: String) async throws(ServiceError) {
    let (withdrawn, end) = AsyncThrowingStream<Never, any Error>.makeStream()
    let show = show
    Task {
      do throws(ServiceError) { try await show(url) } catch { end.finish(throwing: error) }
    }
    do {
      for try await _ in withdrawn {}
    } catch let error as ServiceError {
      throw error
    } catch {
      return
    }
  }
}
