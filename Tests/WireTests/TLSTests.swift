import FoundationEssentials
import Glibc
import HTTPServer
import Model
import TestKit
import Testing
import Wire

@Suite(.bounded) struct TLSTests {
  private func withTLS<Result>(_ certificate: String, _ body: (HTTPServer) async throws -> Result) async throws
    -> Result
  {
    let identity = ServerIdentity(certificate: certificate, key: TestCertificates.key)
    let server = try HTTPServer(identity: identity) { _ in .text(200, "safe") }
    defer { server.stop() }
    return try await body(server)
  }

  /// A transport that trusts the test authority and nobody else.
  private func withTrust<Result>(
    pinning pins: [PublicKeyPin] = [], _ body: (CurlTransport) async throws -> Result
  ) async throws -> Result {
    let path = "\(TemporaryFolder.path)/authority-\(getpid())-\(UInt32.random(in: 0 ... .max)).pem"
    let file = try #require(fopen(path, "w"))
    fputs(TestCertificates.authority, file)
    fclose(file)
    defer { unlink(path) }
    var settings = TransportSettings()
    settings.authorities = path
    settings.pinnedKeys = pins
    return try await body(CurlTransport(settings))
  }

  @Test(arguments: ["localhost", "127.0.0.1"]) func `a server of the trusted authority is believed`(host: String)
    async throws
  {
    try await withTLS(TestCertificates.good) { server in
      try await withTrust { transport in
        let response = try await transport.send(.get(url("https://\(host):\(server.port)/")))
        #expect(response.text == "safe" && response.timings.tls > .zero)
      }
    }
  }

  @Test func `an unknown authority is refused, and nothing is sent`() async throws {
    try await withTLS(TestCertificates.good) { server in
      let error = await #expect(throws: TransportError.self) {
        try await CurlTransport().send(.get(url("https://localhost:\(server.port)/")))
      }
      #expect(error?.code == .tls && error?.detail.contains("certificate") == true)
      #expect(error?.serviceError("look").code == .unreachable)
      #expect(error?.serviceError("look").advice.contains("tls.ca") == true)
    }
  }

  @Test(arguments: [TestCertificates.expired, TestCertificates.wrongHost, TestCertificates.selfSigned])
  func `a certificate that is over, of another, or of nobody is refused`(certificate: String) async throws {
    try await withTLS(certificate) { server in
      try await withTrust { transport in
        let error = await #expect(throws: TransportError.self) {
          try await transport.send(.get(url("https://localhost:\(server.port)/")))
        }
        #expect(error?.code == .tls)
      }
    }
  }

  @Test func `of several pinned keys one is enough`() async throws {
    let other = try PublicKeyPin("sha256//\(String(repeating: "A", count: 43))=")
    let pins = [other, try PublicKeyPin(certificate: TestCertificates.good)]
    try await withTLS(TestCertificates.good) { server in
      try await withTrust(pinning: pins) { transport in
        let response = try await transport.send(.get(url("https://localhost:\(server.port)/")))
        #expect(response.text == "safe")
      }
    }
  }

  @Test func `a trusted server with another key than the pinned one is refused, and nothing is sent`() async throws {
    try await withTLS(TestCertificates.good) { server in
      try await withTrust(pinning: [try PublicKeyPin(certificate: TestCertificates.authority)]) { transport in
        let error = await #expect(throws: TransportError.self) {
          try await transport.send(.get(url("https://localhost:\(server.port)/")))
        }
        #expect(error?.code == .tls && error?.detail.contains("pinned") == true, "\(error?.detail ?? "")")
        #expect(error?.serviceError("look").advice.contains("tls.pins") == true)
      }
    }
  }

  @Test(arguments: ["", "sha256//", "sha1//AAAA", "sha256//\(String(repeating: "A", count: 44))", "a;b"])
  func `what is no hash of a public key is a matter of configuration`(_ text: String) {
    let error = #expect(throws: ServiceError.self) { try PublicKeyPin(text) }
    #expect(error?.code == .configuration)
    #expect(throws: ServiceError.self) { try PublicKeyPin(certificate: text) }
  }

  @Test func `plain HTTP is not taken for TLS`() async throws {
    try await withServer { _ in
      .text(200, "")
    } _: { server in
      let error = await #expect(throws: TransportError.self) {
        try await CurlTransport().send(.get(url("https://127.0.0.1:\(server.port)/")))
      }
      #expect(error?.code == .tls || error?.code == .brokenOff)
    }
  }

  @Test func `files that are not there are a matter of configuration`() async throws {
    try await withTLS(TestCertificates.good) { server in
      var authorities = TransportSettings()
      authorities.authorities = "/nowhere/ca.pem"
      var certificate = TransportSettings()
      certificate.certificate = "/nowhere/client.pem"
      for settings in [authorities, certificate] {
        let error = await #expect(throws: TransportError.self) {
          try await CurlTransport(settings).send(.get(url("https://localhost:\(server.port)/")))
        }
        #expect(error?.code == .badRequest, "\(error?.detail ?? "")")
      }
    }
  }
}
