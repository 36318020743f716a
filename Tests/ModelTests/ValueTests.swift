import Model
import Testing

@Suite struct MoneyTests {
  @Test(arguments: [
    ("1204.5", "EUR", "1204.50"), ("-1.25", "EUR", "-1.25"), ("92100", "JPY", "92100"), ("92100.00", "JPY", "92100"),
    ("0.005", "KWD", "0.005"), ("12", "KWD", "12.000"), ("-0.01", "GBP", "-0.01"), ("+3", "USD", "3.00"),
    ("0.1234", "EUR", "0.1234"), (".5", "EUR", "0.50"), ("5.", "EUR", "5.00"),
    ("92233720368547758.07", "EUR", "92233720368547758.07"), ("-92233720368547758.08", "EUR", "-92233720368547758.08"),
  ]) func `a decimal keeps its exact value`(_ text: String, _ currency: String, _ expected: String) {
    #expect(Money(decimal: text, currency: currency)?.decimalText == expected)
  }

  @Test(arguments: ["", "-", ".", "1e3", "1,5", "12 ", "NaN", "1.2.3", "92233720368547758.08", "٣"])
  func `what is not a plain decimal is refused`(_ text: String) {
    #expect(Money(decimal: text, currency: "EUR") == nil)
  }
}

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"), ("2026-11-30T18:55:51+01:00", "2026-11-30T17:55:51Z"),
    ("2026-11-30T17:55:51.123456Z", "2026-11-30T17:55:51.123Z"), ("2026-11-30 17:55", "2026-11-30T17:55:00Z"),
    ("2024-02-29", "2024-02-29T00:00:00Z"), ("1969-12-31T23:59:59.5Z", "1969-12-31T23:59:59.500Z"),
    ("2026-11-30T17:55:51.000+0000", "2026-11-30T17:55:51Z"), ("1600-03-01T00:00:00-0130", "1600-03-01T01:30:00Z"),
  ]) func `times of every form come out in RFC 3339`(_ text: String, _ expected: String) {
    #expect(Timestamp(rfc3339: text)?.rfc3339 == expected)
  }

  @Test(arguments: ["", "2026", "2026-13-01", "2026-11-30T", "2026-11-30T17", "2026-11-30T17:55:51X", "30.11.2026"])
  func `what is not a time is refused`(_ text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }
}

@Suite struct SecretTests {
  @Test func `a secret never prints`() {
    let secret = Secret("hunter2-hunter2")
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(SecretSource.literal(secret))"] {
      #expect(!text.contains("hunter2"))
    }
  }

  @Test(arguments: ["", "x", "tök€n 企業", String(repeating: "long ", count: 2_000)])
  func `a secret is what it was made from, and equal to its like`(_ text: String) {
    let secret = Secret(text)
    #expect(secret.reveal() == text)
    #expect(secret.withUTF8 { Array($0) } == Array(text.utf8))
    #expect(secret.isEmpty == text.isEmpty)
    #expect(secret == Secret(utf8: Array(text.utf8)) && Set([secret, Secret(text)]).count == 1)
    #expect(secret != Secret(text + "."))
  }
}

@Suite struct ServiceErrorTests {
  @Test(arguments: ServiceError.Code.allCases)
  func `every error says what to do`(_ code: ServiceError.Code) {
    let error = ServiceError(code, "load the banks")
    #expect(error.message.hasPrefix("Could not load the banks: "))
    #expect(error.advice.hasSuffix("."))
    #expect(!error.line.contains("\n"))
  }
}
