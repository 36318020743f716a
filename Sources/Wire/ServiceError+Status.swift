import Model

extension ServiceError.Code {
  /// What an HTTP status other than success means, by the contract's table; a back end that knows better says so itself.
  package init(status: Int) {
    switch status {
    case 300...399: self = .redirected
    case 401, 407: self = .signInNeeded
    case 403: self = .forbidden
    case 404, 410: self = .notFound
    case 409, 412: self = .conflict
    case 429: self = .busy
    case 500...599: self = .serverFault
    default: self = .failed
    }
  }
}
