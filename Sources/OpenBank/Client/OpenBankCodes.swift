import Model

/// What the server's codes mean, in our words (reference, section 4.4).
enum OpenBankCodes {
  /// Codes that say more than the status they come with: old-style calls answer 400 to nearly everything.
  static let kinds: [String: ServiceError.Code] = [
    "OBP-20001": .signInNeeded, "OBP-20003": .signInNeeded, "OBP-20004": .signInRefused, "OBP-20008": .signInRefused,
    "OBP-20009": .signInRefused, "OBP-20011": .signInRefused, "OBP-20013": .signInRefused, "OBP-20058": .signInRefused,
    "OBP-20080": .signInRefused,
    "OBP-20006": .forbidden, "OBP-20017": .forbidden, "OBP-20019": .forbidden, "OBP-20021": .forbidden,
    "OBP-20022": .forbidden, "OBP-20023": .forbidden, "OBP-20101": .forbidden, "OBP-30022": .forbidden,
    "OBP-40002": .forbidden, "OBP-50010": .forbidden, "OBP-50017": .forbidden,
    "OBP-30001": .notFound, "OBP-30002": .notFound, "OBP-30003": .notFound, "OBP-30004": .notFound,
    "OBP-30005": .notFound, "OBP-30009": .notFound, "OBP-300010": .notFound, "OBP-30011": .notFound,
    "OBP-30017": .notFound, "OBP-30018": .notFound, "OBP-30046": .notFound, "OBP-30067": .notFound,
    "OBP-60009": .notFound, "OBP-10404": .notFound, "OBP-10405": .notFound,
    "OBP-00003": .notOffered, "OBP-00005": .notOffered, "OBP-40018": .notOffered, "OBP-10010": .notOffered,
    "OBP-01000": .timedOut, "OBP-10018": .busy, "OBP-10040": .busy,
  ]

  /// Whether the server's own text to this code explains nothing.
  static func says(nothing code: String?) -> Bool {
    code == "OBP-50010" || code == "OBP-50005" || code == "OBP-50015" || code == "OBP-50000" || code == "OBP-10404"
  }

  static let meaning: [String: String] = [
    "OBP-00003": "payments are switched off on this server",
    "OBP-00005": "public views are switched off on this server",
    "OBP-00008": "this version of the API is not enabled on this server",
    "OBP-01000": "the bank behind the server was too slow",
    "OBP-10001": "the server could not read what was sent",
    "OBP-10003": "this is no ISO 4217 currency code",
    "OBP-10004": "there is no exchange rate for these two currencies",
    "OBP-10018": "too many requests in too short a time",
    "OBP-10023": "the order must be ASC or DESC",
    "OBP-10024": "the offset must not be negative",
    "OBP-10025": "a page must have at least one row",
    "OBP-10026": "a date of the period could not be read",
    "OBP-10040": "the server has too much to do",
    "OBP-10404": "this server does not know this call",
    "OBP-20001": "this needs somebody who is signed in",
    "OBP-20003": "the session has ended",
    "OBP-20004": "user name or password is wrong",
    "OBP-20006": "a role is missing",
    "OBP-20008": "the consumer key is unknown or disabled",
    "OBP-20009": "the consumer's credentials are unknown or disabled",
    "OBP-20011": "a value has characters that the server does not take",
    "OBP-20013": "the account is locked after too many wrong passwords",
    "OBP-20017": "there is no access to this view of the account",
    "OBP-20019": "this needs the owner's view of the account",
    "OBP-20022": "the view does not permit this",
    "OBP-30001": "there is no such bank",
    "OBP-30013": "this payee may not be paid: it is no beneficiary",
    "OBP-30014": "there is a payee of that name already",
    "OBP-30018": "there is no such account at this bank",
    "OBP-30022": "the view does not permit this",
    "OBP-40001": "this server does not know that type of payment",
    "OBP-40002": "payments are not permitted from this view of the account",
    "OBP-40003": "the currency is not that of the account",
    "OBP-40008": "the amount must be more than zero",
    "OBP-40011": "this payment does not wait for an answer any more",
    "OBP-40013": "the charge policy must be SHARED, SENDER or RECEIVER",
    "OBP-40014": "all tries to answer the challenge are used up",
    "OBP-40016": "the answer to the challenge is wrong",
    "OBP-40018": "payments are switched off on this server",
    "OBP-50000": "the server had an error it cannot name",
    "OBP-50005": "the server had an error of its own",
    "OBP-50010": "there is no access, or no such thing; this server does not say which",
    "OBP-50015": "the server had an error of its own",
    "OBP-60009": "there is no such transaction",
  ]
}
