import Crypto
import FoundationEssentials
import JSON
import Model
import Testing
import Wire

@Suite struct RedactionTests {
  private let mark = "«redacted»"

  @Test(arguments: [
    ("Authorization", "Bearer abcdef", "Bearer «redacted»"),
    ("authorization", "Basic dXNlcjpwdw==", "Basic «redacted»"),
    ("Authorization", "DirectLogin token=\"abc\"", "DirectLogin «redacted»"), ("Authorization", "abc", "«redacted»"),
    ("Authorization", "OAuth oauth_consumer_key=\"k\", oauth_signature=\"s\"", "OAuth «redacted»"),
    ("DirectLogin", "username=ada, password=s3cret", "«redacted»"),
    ("Proxy-Authorization", "Basic x", "Basic «redacted»"),
    ("Cookie", "a=1; JSESSIONID=ABCDEF", "a=«redacted»; JSESSIONID=«redacted»"),
    ("Set-Cookie", "sid=abc; Path=/; HttpOnly", "sid=«redacted»; Path=/; HttpOnly"),
    ("X-CSRF-Token", "t", "«redacted»"),
    ("X-Vendor-Secret", "t", "«redacted»"), ("X-API-Key", "t", "«redacted»"), ("Accept", "text/html", "text/html"),
    ("Location", "https://a.example/cb?code=xyz&state=1", "https://a.example/cb?code=«redacted»&state=1"),
    ("WWW-Authenticate", "Basic realm=\"x\"", "Basic realm=\"x\""), ("Oracle-Mobile-Backend-ID", "be-1", "be-1"),
    ("Oracle-Mobile-Anonymous-Key", "k", "«redacted»"),
  ])
  func `a header shows where its secret was`(name: String, value: String, shown: String) {
    #expect(Redactor().headers([name: value]).fields == [.init(name, shown)])
  }

  @Test(arguments: [
    ("{\"password\":\"x y\",\"user\":\"ada\"}", "{\"password\":\"«redacted»\",\"user\":\"ada\"}"),
    ("{ \"client_secret\" : \"a\\\"b\" }", "{ \"client_secret\" : \"«redacted»\" }"),
    ("{\"pin\": 1234, \"pins\": 2}", "{\"pin\": \"«redacted»\", \"pins\": 2}"),
    ("{\"access_token\":null,\"token\":true}", "{\"access_token\":null,\"token\":true}"),
    ("{\"token\":[\"a\",{\"b\":\"c\"},\"d\"]}", "{\"token\":[\"«redacted»\",{\"b\":\"c\"},\"«redacted»\"]}"),
    ("[{\"a\":{\"refreshToken\":\"r\"}},\"token\"]", "[{\"a\":{\"refreshToken\":\"«redacted»\"}},\"token\"]"),
    ("{\"code\":401,\"message\":\"no\"}", "{\"code\":401,\"message\":\"no\"}"),
    ("{\"pass\\u0077ord\":\"x\"}", "{\"pass\\u0077ord\":\"«redacted»\"}"),
    ("{\"password\":\"cut of", "{\"password\":\"«redacted»"), ("{\"password\":\"x\\", "{\"password\":\"«redacted»"),
    ("{\"oldPassword\":\"\",\"newPassword\":\"n\"}", "{\"oldPassword\":\"\",\"newPassword\":\"«redacted»\"}"),
  ])
  func `a member shows where its secret was`(body: String, shown: String) {
    #expect(String(decoding: Redactor().body(Array(body.utf8)[...]), as: UTF8.self) == shown)
  }

  @Test(arguments: [
    ("grant_type=password&username=ada&password=p%26w", "grant_type=password&username=ada&password=«redacted»"),
    (
      "oauth_token=a&oauth_token_secret=b&oauth_callback_confirmed=true",
      "oauth_token=«redacted»&oauth_token_secret=«redacted»&oauth_callback_confirmed=true"
    ),
    ("code=c&client%5Fsecret=s&code_verifier=v", "code=«redacted»&client%5Fsecret=«redacted»&code_verifier=«redacted»"),
    ("password=", "password="), ("a sentence with password=x in it", "a sentence with password=x in it"),
  ])
  func `a form shows where its secret was`(body: String, shown: String) {
    #expect(String(decoding: Redactor().body(Array(body.utf8)[...]), as: UTF8.self) == shown)
  }

  @Test func `a ticket in an address is gone`() {
    let redactor = Redactor()
    #expect(
      redactor.url("https://a.example/x?alf_ticket=TICKET_1&page=2#f")
        == "https://a.example/x?alf_ticket=«redacted»&page=2#f")
    #expect(
      redactor.url("https://a.example/tickets/TICKET_0123456789abcdef/-me-")
        == "https://a.example/tickets/«redacted»/-me-")
  }

  @Test func `a JWT is recognised wherever it stands`() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyIiOiIifQ.k1XabcdefghijklmnopqrstuvwxyzABCDEF-_"
    let text = Redactor().text("OBP-20003: This DirectLogin token is invalid or expired:\(jwt)")
    #expect(text == "OBP-20003: This DirectLogin token is invalid or expired:«redacted»")
    #expect(Redactor().text("eyJust a word. And another eye.") == "eyJust a word. And another eye.")
  }

  @Test(arguments: ["p@ss w/rd\"ü\\", "hunter2hunter2", "日本語の秘密", "a+b/c=d?e&f"], [0, 1, 2, 3, 4])
  func `a known value is found in every form`(secret: String, shift: Int) throws {
    let redactor = Redactor()
    redactor.register(Secret(secret))
    let padding = String(repeating: "x", count: shift)
    let escaped = JSONNode.string(secret).encoded()
    let forms = [
      secret, URLForm.escape(secret), URLForm.escape(secret).replacing("%20", with: "+"),
      String(decoding: escaped.dropFirst().dropLast(), as: UTF8.self),
    ]
    for form in forms {
      #expect(redactor.text("before \(padding)\(form) after") == "before \(padding)\(mark) after")
    }
    for form in [
      Base64.encode(Array("\(padding)\(secret)yy".utf8)), Base64URL.encode(Array("\(padding)\(secret)".utf8)),
    ] {
      let text = redactor.text("Basic \(form)")
      #expect(text.contains(mark))
      let left = text.replacing("Basic ", with: "").replacing(mark, with: "")
      #expect(left.utf8.count <= (shift + 3) * 4 / 3 + 6)
    }
  }

  @Test func `what was found by name is found by value from then on`() {
    let redactor = Redactor()
    _ = redactor.body(Array("{\"access_token\":\"opaque-token-value\"}".utf8)[...])
    #expect(redactor.text("the token opaque-token-value is unknown") == "the token \(mark) is unknown")
    _ = redactor.headers(["Authorization": "Bearer other-token-value"])
    #expect(redactor.url("https://a.example/revoke/other-token-value") == "https://a.example/revoke/\(mark)")
  }

  @Test func `a short value does not blank innocent text`() {
    let redactor = Redactor()
    redactor.register(Secret("1234"))
    #expect(redactor.text("account 81234567") == "account 81234567")
  }

  @Test func `the front half of a secret does not survive a cut`() {
    let redactor = Redactor()
    redactor.register(Secret("correct horse battery"))
    let shown = redactor.body(Array("echo: correct horse ba".utf8)[...], isCut: true)
    #expect(!String(decoding: shown, as: UTF8.self).contains("correct"))
  }

  @Test func `hundreds of secrets stay known, the latest for certain`() {
    let redactor = Redactor()
    for number in 0..<1000 { redactor.register(Secret("secret-number-\(number)!")) }
    #expect(redactor.text("x secret-number-999! y") == "x \(mark) y")
  }
}
