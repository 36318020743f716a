import Crypto
import Testing

/// The examples of RFC 7515, appendices A.2 and A.3.
@Suite struct JWSTests {
  let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test func `the RSA example of the RFC verifies`() throws {
    let modulus =
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yR"
      + "T-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXB"
      + "dQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9ia"
      + "GNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"
    let signature =
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9"
      + "uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB"
      + "_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq"
      + "Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    let key = try RSAPublicKey(
      modulus: #require(Base64URL.decode(modulus)), exponent: #require(Base64URL.decode("AQAB")))
    let jws = try #require(JWS("eyJhbGciOiJSUzI1NiJ9.\(payload).\(signature)"))
    #expect(jws.isSigned(by: key))
    #expect(!jws.isSigned(by: key, .ps256))
    #expect(String(decoding: jws.header, as: UTF8.self) == #"{"alg":"RS256"}"#)
  }

  @Test func `the P-256 example of the RFC verifies`() throws {
    let key = try ECPublicKey(
      x: #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")),
      y: #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")))
    let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    #expect(JWS("eyJhbGciOiJFUzI1NiJ9.\(payload).\(signature)")?.isSigned(by: key) == true)
    #expect(JWS("eyJhbGciOiJFUzI1NiJ8.\(payload).\(signature)")?.isSigned(by: key) == false)
  }

  @Test func `what is signed here verifies here`() throws {
    let (header, payload) = (Array(#"{"alg":"x"}"#.utf8), Array("{}".utf8))
    let rsa = try KeysTests.rsa.get()
    let byRSA = try #require(JWS(try JWS.sign(header: header, payload: payload, key: rsa)))
    #expect(byRSA.header == header && byRSA.payload == payload)
    #expect(byRSA.isSigned(by: try rsa.publicKey))
    let ec = try KeysTests.ec.get()
    let byEC = try #require(JWS(try JWS.sign(header: header, payload: payload, key: ec)))
    #expect(byEC.isSigned(by: try ec.publicKey))
    #expect(!byEC.isSigned(by: try rsa.publicKey))
  }

  @Test(arguments: ["", ".", "a.b", "YQ.YQ.YQ.YQ", "YQ.YQ.Y", "YQ==.YQ.YQ"])
  func `what is no compact text is refused`(_ text: String) { #expect(JWS(text) == nil) }
}
