import Crypto
import HTTPServer
import JSON
import Testing

@testable import Sandbox

/// A signer of its own, so that the server is not checked against itself.
private struct Signer {
  var key: String
  var secret: String
  var token: String?
  var tokenSecret = ""
  var method = "HMAC-SHA256"
  var timestamp = "1796029200"
  var nonce: String
  var extra: [(String, String)] = []

  func header(_ verb: String, _ url: String, query: [(String, String)] = []) -> ServerRequest.Field {
    var fields = [
      ("oauth_consumer_key", key), ("oauth_nonce", nonce), ("oauth_signature_method", method),
      ("oauth_timestamp", timestamp), ("oauth_version", "1.0"),
    ]
    if let token { fields.append(("oauth_token", token)) }
    fields += extra
    let pairs = (fields + query).map { "\(enc($0.0))=\(enc($0.1))" }.sorted().joined(separator: "&")
    let base = "\(verb)&\(enc(url))&\(enc(pairs))"
    let hash: Hash = method == "HMAC-SHA1" ? .sha1 : .sha256
    let mac = HMAC.authenticate(Array(base.utf8), key: Array("\(enc(secret))&\(enc(tokenSecret))".utf8), using: hash)
    fields.append(("oauth_signature", Base64.encode(mac)))
    let text = fields.map { "\($0.0)=\"\(enc($0.1))\"" }.joined(separator: ", ")
    return ("Authorization", "OAuth \(text)")
  }

  private func enc(_ text: String) -> String {
    text.utf8.map { byte in
      let character = Character(Unicode.Scalar(byte))
      if character.isASCII && (character.isLetter || character.isNumber) || "-._~".contains(character) {
        return String(character)
      }
      let hex = String(byte, radix: 16, uppercase: true)
      return "%" + (hex.count == 1 ? "0" + hex : hex)
    }.joined()
  }
}

@Suite struct BankOAuthTests {
  @Test func `the base string is that of the reference`() {
    let key = "kx3v0sandboxconsumer00000000000000000001"
    let base = OAuth1.baseString(
      method: "GET", address: "http://127.0.0.1:8080/obp/v4.0.0/my/banks/gh.29.uk/accounts/acc-1/transactions",
      parameters: [
        ("limit", "2"), ("from_date", "2026-01-01T00:00:00.000Z"), ("oauth_consumer_key", key),
        ("oauth_nonce", "b7c1f2a9-5d0e-4c57-9a34-0d2d8f6c1e11"), ("oauth_signature_method", "HMAC-SHA256"),
        ("oauth_timestamp", "1796040000"), ("oauth_token", "ACCTOKEN00000000000000000000000000000001"),
        ("oauth_version", "1.0"),
      ])
    let secret = "s9w2sandboxsecret00000000000000000000001&ACCSECRET0000000000000000000000000000001"
    let mac = HMAC.authenticate(Array(base.utf8), key: Array(secret.utf8), using: .sha256)
    #expect(Base64.encode(mac) == "msyvteWeNKsGXAnj4naZAsWzM8QRM+IRw/Tz9k0YNec=")
    #expect(base.hasPrefix("GET&http%3A%2F%2F127.0.0.1%3A8080%2Fobp%2Fv4.0.0%2Fmy%2Fbanks%2Fgh.29.uk%2F"))
  }

  private func signer(_ client: BankClient, nonce: String) -> Signer {
    Signer(key: client.consumer.key, secret: client.consumer.secret, nonce: nonce)
  }

  private func fields(_ response: ServerResponse) -> [String: String] {
    Dictionary(FormFields.parse(response.bodyText).map { ($0.name, $0.value) }) { $1 }
  }

  private func initiate(_ client: BankClient, callback: String, method: String = "HMAC-SHA256") -> ServerResponse {
    var signer = signer(client, nonce: "i-\(callback)-\(method)")
    signer.extra = [("oauth_callback", callback)]
    signer.method = method
    let header = signer.header("POST", "http://127.0.0.1:8080/oauth/initiate")
    return client.request("POST", "/oauth/initiate", headers: [header])
  }

  private func logIn(_ client: BankClient, token: String, password: String? = nil) -> ServerResponse {
    let user = client.door.bank.data.owner
    let page = client.request("GET", "/oauth/authorize?oauth_token=\(token)")
    #expect(page.bodyText.contains("<form action=\"/user_mgt/login?oauth_token=\(token)\""))
    return client.request(
      "POST", "/user_mgt/login?oauth_token=\(token)",
      headers: [("Content-Type", "application/x-www-form-urlencoded")],
      body: "username=\(user.username)&password=\(password ?? user.password)")
  }

  @Test(arguments: ["HMAC-SHA1", "HMAC-SHA256"]) func `three legs lead to the accounts`(method: String) throws {
    let client = try BankClient()
    let first = fields(initiate(client, callback: "http://127.0.0.1:51717/callback", method: method))
    #expect(first["oauth_callback_confirmed"] == "true")
    let token = try #require(first["oauth_token"])
    let redirect = logIn(client, token: token)
    #expect(redirect.status == 302)
    let thanks = client.request("GET", try #require(redirect.header("Location")))
    #expect(
      thanks.bodyText.contains("id=\"redirect-link\" href=\"http://127.0.0.1:51717/callback?oauth_token=\(token)&amp;"))
    let verifier = try #require(thanks.bodyText.split(separator: "oauth_verifier=").dropFirst().first?.prefix(5))
    var exchange = signer(client, nonce: "t-\(method)")
    exchange.method = method
    exchange.token = token
    exchange.tokenSecret = try #require(first["oauth_token_secret"])
    exchange.extra = [("oauth_verifier", String(verifier))]
    let header = exchange.header("POST", "http://127.0.0.1:8080/oauth/token")
    let second = fields(client.request("POST", "/oauth/token", headers: [header]))
    var call = signer(client, nonce: "c")
    call.method = method
    call.token = second["oauth_token"]
    call.tokenSecret = try #require(second["oauth_token_secret"])
    let query = [("account_type_filter", "CURRENT,SAVINGS"), ("x", "a b~*;é")]
    let target = "/obp/v5.1.0/my/accounts?account_type_filter=CURRENT%2CSAVINGS&x=a%20b~*%3B%C3%A9"
    let signed = call.header("GET", "http://127.0.0.1:8080/obp/v5.1.0/my/accounts", query: query)
    #expect(client.request("GET", target, headers: [signed]).status == 200)
    call.tokenSecret = "wrong"
    let forged = call.header("GET", "http://127.0.0.1:8080/obp/v5.1.0/my/accounts", query: query)
    #expect(client.request("GET", target, headers: [forged]).bodyText.contains("OBP-50005"))
    let again = client.request("POST", "/oauth/token", headers: [header])
    #expect(again.status == 401)
  }

  @Test func `out of band shows the code`() throws {
    let client = try BankClient()
    let token = try #require(fields(initiate(client, callback: "oob"))["oauth_token"])
    #expect(logIn(client, token: token, password: "wrong").bodyText.contains("id=\"error\""))
    let page = logIn(client, token: token)
    #expect(page.bodyText.contains("<div id=\"verifier\">"))
  }

  @Test func `a callback that is not registered is noticed after the login`() throws {
    let client = try BankClient()
    let token = try #require(fields(initiate(client, callback: "http://evil.example/callback"))["oauth_token"])
    #expect(logIn(client, token: token).bodyText.contains("a URL that is not registered"))
    #expect(client.door.set("exact-callbacks", to: "true"))
    let other = try #require(fields(initiate(client, callback: "http://127.0.0.1:8911/callback"))["oauth_token"])
    #expect(logIn(client, token: other).bodyText.contains("a URL that is not registered"))
  }

  @Test func `checks fail in the order of the reference`() throws {
    let client = try BankClient()
    let address = "http://127.0.0.1:8080/oauth/initiate"
    func send(_ change: (inout Signer) -> Void) -> ServerResponse {
      var signer = signer(client, nonce: "n")
      signer.extra = [("oauth_callback", "oob")]
      change(&signer)
      return client.request("POST", "/oauth/initiate", headers: [signer.header("POST", address)])
    }
    let cases: [(ServerResponse, Int, String)] = [
      (send { $0.extra = [] }, 400, "the following parameters are missing : oauth_callback"),
      (send { $0.method = "PLAINTEXT" }, 400, "Unsupported signature method"),
      (send { $0.key = "unknown" }, 401, "OBP-20009: Invalid consumer credentials"),
      (send { $0.timestamp = "1" }, 400, "oauth_timestamp value: 1 is in and invalid time range"),
      (send { $0.secret = "wrong" }, 401, "Invalid signature"),
      (send { _ in }, 401, "Nonce already used"),
    ]
    for (response, status, text) in cases {
      #expect(response.status == status)
      #expect(response.bodyText.hasPrefix(text), "\(response.bodyText)")
    }
    #expect(client.request("GET", "/oauth/authorize").bodyText.contains("There is no Token."))
    #expect(client.request("GET", "/oauth/authorize?oauth_token=x").bodyText.contains("This token does not exist"))
  }

  @Test func `signatures stand on the configured address`() throws {
    let client = try BankClient()
    #expect(client.door.set("hostname", to: "https://bank.example"))
    #expect(initiate(client, callback: "oob").bodyText == "Invalid signature")
    var signer = signer(client, nonce: "host")
    signer.extra = [("oauth_callback", "oob")]
    let header = signer.header("POST", "https://bank.example/oauth/initiate")
    #expect(client.request("POST", "/oauth/initiate", headers: [header]).status == 200)
  }

  @Test func `the newer generation has no OAuth`() throws {
    let client = try BankClient()
    #expect(client.door.set("profile", to: "gen-h"))
    let response = initiate(client, callback: "oob")
    #expect(response.status == 404)
    #expect(response.bodyText.contains("OBP-10404"))
  }
}
