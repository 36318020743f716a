import FoundationEssentials
package import Model
internal import Wire

/// Plays a person's browser against sign-in pages: fills in their form, follows their redirects and their last link.
///
/// It runs no scripts: where a page leads on by one, the link beside it is the way.
package struct PageVisitor: Sendable {
  private let user: String
  private let password: String
  private let web = CurlTransport()

  package init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// Signs in and goes back to the program that waits.
  package func visit(_ page: String) async throws(ServiceError) {
    let last = try await signIn(page)
    if let back = last.link(with: "oauth_verifier") { _ = try await get(back) }
  }

  /// Fills in the first form and returns the page that comes at the end.
  package func signIn(_ page: String) async throws(ServiceError) -> HTMLPage {
    let first = try await send(page)
    let form = HTMLPage(first.text)
    let fields = form.inputs.map { input in
      let value =
        switch input.type {
        case "password": password
        case "text", "email": user
        default: input.value
        }
      return (name: input.name, value: value)
    }
    guard let action = URL(string: form.action ?? "", relativeTo: first.url)?.absoluteURL else {
      throw ServiceError(.unreadable, "find the form of \(page)")
    }
    var request = HTTPRequest.form(action, fields)
    request.headers["Cookie"] = PageVisitor.cookies(of: first)
    request.followsRedirects = false
    var response = try await send(request)
    // A browser goes from one address to another on the way; a client that holds to one origin would not.
    for _ in 0..<5 {
      guard let next = response.headers["Location"],
        let url = URL(string: next, relativeTo: response.url)?.absoluteURL
      else { break }
      var following = HTTPRequest.get(url)
      following.followsRedirects = false
      response = try await send(following)
    }
    return HTMLPage(response.text)
  }

  private static func cookies(of response: HTTPResponse) -> String? {
    let pairs = response.headers.values(for: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }

  private func get(_ page: String) async throws(ServiceError) -> String { try await send(page).text }

  private func send(_ page: String) async throws(ServiceError) -> HTTPResponse {
    guard let url = URL(string: page) else { throw ServiceError(.usage, "open \(page)") }
    return try await send(.get(url))
  }

  private func send(_ request: HTTPRequest) async throws(ServiceError) -> HTTPResponse {
    do { return try await web.send(request) } catch { throw error.serviceError("browse") }
  }
}

/// As much of HTML as a sign-in page has.
package struct HTMLPage: Sendable {
  private let tags: [String]
  private let source: String

  package init(_ source: String) {
    self.source = source
    tags = source.split(separator: "<").dropFirst().map { String($0.prefix { $0 != ">" }) }
  }

  /// Where the first form goes.
  package var action: String? { tags.first { $0.hasPrefix("form") }.flatMap { HTMLPage.attribute("action", of: $0) } }

  package var inputs: [(name: String, type: String, value: String)] {
    tags.filter { $0.hasPrefix("input") }.compactMap { tag in
      guard let name = HTMLPage.attribute("name", of: tag) else { return nil }
      return (name, HTMLPage.attribute("type", of: tag) ?? "text", HTMLPage.attribute("value", of: tag) ?? "")
    }
  }

  /// The first link whose address contains this.
  package func link(with part: String) -> String? {
    tags.filter { $0.hasPrefix("a ") }.compactMap { HTMLPage.attribute("href", of: $0) }.first { $0.contains(part) }
  }

  /// What stands in the element of this id, up to its first tag.
  package func text(ofID id: String) -> String? {
    guard let start = source.firstRange(of: "id=\"\(id)\""), let open = source[start.upperBound...].firstIndex(of: ">")
    else { return nil }
    return String(source[source.index(after: open)...].prefix { $0 != "<" }).filter { !$0.isWhitespace }
  }

  private static func attribute(_ name: String, of tag: String) -> String? {
    guard let start = tag.firstRange(of: "\(name)=\"") else { return nil }
    let value = String(tag[start.upperBound...].prefix { $0 != "\"" })
    return value.replacing("&amp;", with: "&").replacing("&quot;", with: "\"")
  }
}
