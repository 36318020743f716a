import FoundationEssentials
import Model
import Wire

/// A person with a browser: fills in the forms of sign-in pages, and goes where the last page leads.
struct WebVisitor: Asker {
  /// Name and password by connection.
  let people: [String: (name: String, password: String)]
  private let web = CurlTransport()

  init(_ people: [String: (name: String, password: String)]) { self.people = people }

  func ask(_ question: Question) async throws(ServiceError) -> Answer {
    guard let person = people[question.connection] else { throw ServiceError(.signInNeeded, question.title) }
    switch question.kind {
    case .browser(let page):
      let last = try await signIn(at: page, as: person)
      // A page that leads on by a script has a link for those without one.
      if let back = Self.values(of: "href", in: last).first(where: { $0.contains("oauth_verifier") }) {
        _ = try await get(back)
      }
    case .device(let code, let page, _):
      let fields = [("user_code", code), ("answer", "yes"), ("username", person.name), ("password", person.password)]
      _ = try await post(address(page), fields.map { (name: $0.0, value: $0.1) })
    default: throw ServiceError(.signInNeeded, question.title)
    }
    // The question is withdrawn once the other side has what it waits for.
    for await _ in AsyncStream<Never>(unfolding: {
      try? await Task.sleep(for: .seconds(30)); return nil
    }) {}
    throw .cancelled(question.title)
  }

  private func signIn(at page: String, as person: (name: String, password: String)) async throws(ServiceError) -> String
  {
    let url = try address(page)
    let html = try await get(page)
    let fields = html.split(separator: "<").filter { $0.hasPrefix("input") }.map(String.init).compactMap {
      tag -> (name: String, value: String)? in
      guard let name = Self.values(of: "name", in: tag).first else { return nil }
      switch Self.values(of: "type", in: tag).first ?? "text" {
      case "password": return (name, person.password)
      case "text", "email": return (name, person.name)
      default: return (name, Self.values(of: "value", in: tag).first ?? "")
      }
    }
    guard let action = Self.values(of: "action", in: html).first,
      let target = URL(string: action, relativeTo: url)?.absoluteURL
    else { throw ServiceError(.unreadable, "find the form") }
    var response = try await post(target, fields)
    for _ in 0..<5 {
      guard let next = response.headers["Location"], let url = URL(string: next, relativeTo: target)?.absoluteURL else {
        break
      }
      response = try await send(.get(url))
    }
    return response.text
  }

  private func address(_ text: String) throws(ServiceError) -> URL {
    guard let url = URL(string: text) else { throw ServiceError(.usage, "open \(text)") }
    return url
  }

  private func get(_ page: String) async throws(ServiceError) -> String { try await send(.get(address(page))).text }

  private func post(_ url: URL, _ fields: [(name: String, value: String)]) async throws(ServiceError) -> HTTPResponse {
    try await send(.form(url, fields))
  }

  private func send(_ request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
    var request = request
    request.followsRedirects = false
    do { return try await web.send(request) } catch { throw error.serviceError("browse") }
  }

  private static func values(of attribute: String, in html: String) -> [String] {
    html.ranges(of: "\(attribute)=\"").map { start in
      String(html[start.upperBound...].prefix { $0 != "\"" }).replacing("&amp;", with: "&")
        .replacing("&quot;", with: "\"")
    }
  }
}
