import Model

/// What a location of an `omce` connection names.
enum OMCEPlace: Sendable, Hashable {
  case root
  case collections
  case collection(String)
  case object(ObjectID)
  case customAPIs
  case custom([String])
  case locations(MobileClient.LocationKind)
  case location(MobileClient.LocationKind, String)
  case policies
  case policy(String)
  case me
  /// What is kept on this machine.
  case kept
  /// Edits that wait to be sent.
  case pending
  case edit(Int64)
  /// Saved calls of custom APIs.
  case requests
  case request(String)
  /// The log of analytics events.
  case analytics
  case notifications
  case notification(String)

  init(_ location: Location) throws(ServiceError) {
    let path = location.path
    let place: OMCEPlace? =
      switch (path.first, path.count) {
      case (nil, _): .root
      case ("storage", 1): .collections
      case ("storage", 2): .collection(path[1])
      case ("storage", 3): .object(ObjectID(collection: path[1], object: path[2], user: location.queryValue("user")))
      case ("custom", 1): .customAPIs
      case ("custom", _): .custom(Array(path.dropFirst()))
      case ("policies", 1): .policies
      case ("policies", 2): .policy(path[1])
      case ("me", 1): .me
      case ("offline", 1): .kept
      case ("pending", 1): .pending
      case ("requests", 1): .requests
      case ("requests", 2): .request(path[1])
      case ("analytics", 1): .analytics
      case ("notifications", 1): .notifications
      case ("notifications", 2): .notification(path[1])
      case ("pending", 2): Int64(path[1]).map { .edit($0) }
      case (let first?, let count): OMCEPlace.location(first, path, count)
      }
    guard let place else { throw .notFound(location) }
    self = place
  }

  private static func location(_ first: String, _ path: [String], _ count: Int) -> OMCEPlace? {
    guard let kind = MobileClient.LocationKind(rawValue: first) else { return nil }
    switch count {
    case 1: return .locations(kind)
    case 2: return .location(kind, path[1])
    default: return nil
    }
  }
}
