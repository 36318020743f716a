import Model

/// What the program ends with: the contract's table.
enum ExitStatus {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let usage: Int32 = 2
  static let interrupted: Int32 = 130

  static func of(_ error: ServiceError) -> Int32 {
    switch error.code {
    case .failed, .forbidden, .notOffered, .readOnly, .redirected: failed
    case .usage, .configuration, .insecure: usage
    case .signInNeeded, .signInRefused, .vaultLocked: 3
    case .notFound: 4
    case .unreachable, .timedOut, .brokenOff, .serverFault, .unreadable, .busy, .tooLarge, .offline: 5
    case .conflict: 6
    case .cancelled: failed
    }
  }
}
