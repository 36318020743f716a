import Crypto
import Testing

@Suite struct CertificateTests {
  let pem = """
    Some words before it.
    -----BEGIN CERTIFICATE-----
    MIIByjCCAW+gAwIBAgICWhcwCgYIKoZIzj0EAwIwQzELMAkGA1UEBhMCR0IxFjAU
    BgNVBAoMDVJhaW5ib3cgQsOkbmsxHDAaBgNVBAMME2FwaS5yYWluYm93LmV4YW1w
    bGUwHhcNMjYxMTMwMTgxOTAyWhcNNDYxMTI1MTgxOTAyWjBDMQswCQYDVQQGEwJH
    QjEWMBQGA1UECgwNUmFpbmJvdyBCw6RuazEcMBoGA1UEAwwTYXBpLnJhaW5ib3cu
    ZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABGDYPRU8G1XNHXo5tsjo
    PNu4yFL+QK5m3MpzVPINHMPZOsmjxXag5coENjchqIc4Ggscf2d+xFWLx/fFVvk8
    2iSjUzBRMB0GA1UdDgQWBBQuCpicAmI6oJ+dfjaGLmYAU4w9bjAfBgNVHSMEGDAW
    gBQuCpicAmI6oJ+dfjaGLmYAU4w9bjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
    BAMCA0kAMEYCIQCB+GKD/Qz+Go0tSBYGTt0XvX/h0RBy5tKLr+B8yvZovwIhAKZL
    Qu+nhHhUr636AXZO060zoig9lkRjZpgRzAtaiZAJ
    -----END CERTIFICATE-----

    """

  @Test func `a certificate says what it is`() throws {
    let all = try Certificate.all(inPEM: pem)
    let certificate = try #require(all.first)
    #expect(all.count == 1)
    #expect(certificate.subject == "C = GB, O = Rainbow Bänk, CN = api.rainbow.example")
    #expect(certificate.issuer == certificate.subject)
    #expect(certificate.serialNumber == "5a17")
    #expect(certificate.notBefore == 1_796_062_742)
    #expect(certificate.notAfter == 2_426_782_742)
    #expect(
      Hex.encode(certificate.fingerprint) == "c492da60ea96e2acfb6217bb149586f3dcf3ba3ffa7f0ba1beb78796215c26ec")
    // openssl x509 -pubkey | openssl pkey -pubin -outform der | openssl dgst -sha256
    #expect(
      Hex.encode(certificate.publicKeyHash) == "c252fc28c6f7d597dfafbaaf1f3db8285dba6e830e4e4b0ccb2d1b0e36509931")
  }

  @Test func `a bundle gives all of its certificates`() throws {
    #expect(try Certificate.all(inPEM: pem + pem).count == 2)
  }

  @Test func `what is no certificate is refused`() {
    let cut = pem.split(separator: "\n").dropLast(3).joined(separator: "\n")
    for text in ["", "none", cut, pem + cut, pem.replacing("MIIB", with: "MIIC")] {
      let error = #expect(throws: CryptoError.self) { try Certificate.all(inPEM: text) }
      #expect(error?.code == .unreadable)
    }
  }
}
