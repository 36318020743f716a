import Model

/// Times as this API writes and wants them: `OBPDateFormatter` of OBPKit.
///
/// OBPKit writes no milliseconds, and so the server refuses its texts as filters. What is written here is taken everywhere.
public enum OpenBankDate {
  /// `2026-01-31T00:00:00.000Z`, always in UTC and with milliseconds (`stringFromDate:`).
  public static func text(_ time: Timestamp) -> String { TransactionPage.filterDate(time) }

  /// Reads a time with or without milliseconds, and with any offset (`dateFromString:`); nil for anything else.
  public static func time(_ text: String) -> Timestamp? { Timestamp(rfc3339: text) }
}
