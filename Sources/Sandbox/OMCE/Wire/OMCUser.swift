/// A mobile user; reference omce.md, section 10.3.
struct OMCUser: Sendable, Hashable {
  enum Role: String, Sendable {
    /// Reads and writes shared collections and the own space of isolated ones.
    case readWrite = "READ_WRITE"
    /// Reads everything, other people's spaces too.
    case readAll = "READ_ALL"
    /// Reads and writes everything.
    case readWriteAll = "READ_WRITE_ALL"
    case none = "NONE"
  }

  let id: String
  let username: String
  let firstName: String
  let lastName: String
  let password: String
  let role: Role
  /// May send notifications.
  let isTeamMember: Bool

  var email: String { "\(username)@acme.example" }
  var reads: Bool { role != .none }
  var writes: Bool { role == .readWrite || role == .readWriteAll }
  var reachesOthers: Bool { role == .readAll || role == .readWriteAll }
}

/// The backend's own credentials, as an `OMC.plist` holds them.
struct OMCCredentials: Sendable {
  let clientID: String
  let clientSecret: String
  let backendID: String
  /// What follows `Basic `, already in Base64.
  let anonymousKey: String
  /// Signs the assertions of the sandbox's identity provider (HS256).
  let issuerSecret: String
  /// Accepted as a token of the social network.
  let socialToken: String

  init(_ setting: DoorSetting) {
    var random = setting.random("mobile/credentials")
    clientID = random.hex(32)
    clientSecret = random.uuid()
    backendID = random.uuid()
    let pair = "\(backendID.prefix(8).uppercased())_MOBILE_ANONYMOUS_APPID:\(random.secret(16))"
    anonymousKey = PercentCoding.encodeBase64(pair)
    issuerSecret = random.secret(40)
    socialToken = random.secret(60)
  }

  static func users(_ setting: DoorSetting) -> [OMCUser] {
    let people: [(String, String, String, OMCUser.Role)] = [
      ("ada", "Ada", "Byron", .readWrite), ("bert", "Bert", "Łoś", .readAll), ("carl", "Carl", "Zeiß", .none),
      ("tess", "Tess", "中村", .readWriteAll),
    ]
    return people.map { login, given, family, role in
      var random = setting.random("mobile/user/\(login)")
      return OMCUser(
        id: random.uuid(), username: login, firstName: given, lastName: family, password: random.secret(16), role: role,
        isTeamMember: login == "tess")
    }
  }
}
