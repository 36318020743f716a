import Crypto
import FoundationEssentials
import JSON
import Model
import Synchronization
import TestKit
import Wire

@testable import MobileFirst

/// A scripted authorization server with one resource, which keeps what it was sent.
struct Gatehouse {
  static let api = "/mfp/api"
  static let resource = "/MyResource/MyProtectedProcedure"

  /// Made once for all tests.
  static let key = Result { () throws(ServiceError) in try ClientRegistration.newKey() }

  let stub = StubTransport()
  let asker: StubAsker
  let keeper: StubKeeper
  let clock = StubClock()
  let backend: MobileFirstBackend

  init(
    answers: [String: [String: String]] = [:], asked: [[String: String]] = [], keeper: StubKeeper = StubKeeper(),
    auth: KeyValuePairs<String, String> = [:], scope: String? = nil, gateway: KeyValuePairs<String, String>? = nil
  ) throws {
    func text(_ text: String) -> Settings.Entry { .text(text, Settings.Origin()) }
    asker = StubAsker(asked)
    self.keeper = keeper
    var resource: [(key: String, entry: Settings.Entry)] = [
      (key: "name", entry: text("My resource")), (key: "path", entry: text(Self.resource)),
    ]
    if let scope { resource.append((key: "scope", entry: text(scope))) }
    let checks = answers.map { check, fields in
      (key: check, entry: Settings.Entry.table(Settings(fields.map { (key: $0.key, entry: text($0.value)) })))
    }
    var settings: [(key: String, entry: Settings.Entry)] = [
      (key: "url", entry: text("http://127.0.0.1:1/mfp")), (key: "resourceURL", entry: text("http://127.0.0.1:1")),
      (key: "app", entry: text("com.example.app")),
      (key: "auth", entry: .table(Settings(auth.map { (key: $0.key, entry: text($0.value)) }))),
      (key: "resources", entry: .list([.table(Settings(resource))], Settings.Origin())),
      (key: "answers", entry: .table(Settings(checks))),
    ]
    if let gateway {
      settings.append((key: "gateway", entry: .table(Settings(gateway.map { (key: $0.key, entry: text($0.value)) }))))
    }
    backend = try MobileFirstBackend(
      Connection(name: "mfp", kind: .mobilefirst, settings: Settings(settings)), stub,
      .stub(asker: asker, keeper: keeper, clock: clock), makeKey: { () throws(ServiceError) in try Self.key.get() })
    // Resources show themselves by their own address, adapters by the server's.
    stub.on(
      "POST", "\(Self.api)/registration/v1/self", status: 201,
      headers: ["Location": "/mfp/api/registration/clients/client-1"], body: "{}")
    stub.on(
      "GET", "\(Self.api)/az/v1/authorization", status: 302,
      headers: ["Location": "http://mfpredirecturi?code=-4120995331187734021"])
  }

  /// Lets everybody in.
  func grant(_ successes: String = "{}") {
    stub.on("POST", "\(Self.api)/preauth/v1/preauthorize", body: #"{"successes":\#(successes)}"#)
  }

  func challenge(_ challenges: String) {
    stub.on(
      "POST", "\(Self.api)/preauth/v1/preauthorize", status: 401, headers: ["WWW-Authenticate": "MFP-Challenge"],
      body: #"{"challenges":\#(challenges)}"#)
  }

  func refuse(_ check: String, _ reason: String) {
    stub.on(
      "POST", "\(Self.api)/preauth/v1/preauthorize", status: 403,
      body: #"{"failures":{"\#(check)":{"failure":"\#(reason)"}}}"#)
  }

  func token(_ value: String, expires: Int = 3600, refresh: String? = nil) {
    let refresh = refresh.map { #","refresh_token":"\#($0)""# } ?? ""
    stub.on(
      "POST", "\(Self.api)/az/v1/token",
      body: #"{"access_token":"\#(value)","token_type":"Bearer","expires_in":\#(expires)\#(refresh)}"#)
  }

  func answer(_ status: Int, _ challenge: String? = nil, body: String = "") {
    stub.on(
      "GET", Self.resource, status: status, headers: challenge.map { ["WWW-Authenticate": $0] } ?? [:], body: body)
  }

  var location: Location { Location(connection: "mfp", path: ["resources", "My resource"]) }

  /// Method and path of all requests, in order.
  var lines: [String] { stub.requests.map { String($0.line.prefix { $0 != "?" }).split(separator: Self.api).joined() } }

  func requests(_ path: String) -> [StubTransport.Recorded] { stub.requests.filter { $0.line.contains(path) } }

  func form(_ recorded: StubTransport.Recorded) -> [String: String] {
    Dictionary(uniqueKeysWithValues: URLForm.decode(recorded.bodyText).map { ($0.name, $0.value) })
  }
}
