import Testing

@testable import Sandbox

@Suite struct SandboxTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z", "Thu, 01 Jan 1970 00:00:00 GMT"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z", "Tue, 29 Feb 2000 00:00:00 GMT"),
      (1_796_030_100_042, "2026-11-30T09:15:00.042Z", "Mon, 30 Nov 2026 09:15:00 GMT"),
      (-1, "1969-12-31T23:59:59.999Z", "Wed, 31 Dec 1969 23:59:59 GMT"),
    ] as [(Int64, String, String)])
  func `moments are written and read back`(milliseconds: Int64, iso: String, http: String) {
    let time = SandboxTime(milliseconds: milliseconds)
    #expect(time.isoMilliseconds == iso)
    #expect(time.http == http)
    #expect(SandboxTime(iso: iso) == time)
    #expect(SandboxTime(http: http)?.seconds == time.seconds)
  }

  @Test(arguments: [
    ("2026-01-31T02:00:00.000+0200", "2026-01-31T00:00:00Z"), ("2026-01-31", "2026-01-31T00:00:00Z"),
    ("2026-01-31T00:00:00-05:30", "2026-01-31T05:30:00Z"), ("2026-01-31T00:00:00.5Z", "2026-01-31T00:00:00Z"),
  ])
  func `zones are honoured`(text: String, expected: String) {
    #expect(SandboxTime(iso: text)?.iso == expected)
  }

  @Test(arguments: ["", "yesterday", "2026-13-01", "2026-01-31T25:00:00Z", "2026-01-31T00:00:00.Z", "2026-01-31Tx"])
  func `what is no date is refused`(text: String) {
    #expect(SandboxTime(iso: text) == nil)
  }
}
