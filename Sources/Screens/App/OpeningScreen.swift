import Model

/// Finds out what a location is, then gives way to the screen that shows it.
struct OpeningScreen: Screen {
  var id = 0
  let location: Location
  private var failure: ServiceError?
  private var serial = 0

  init(_ location: Location) { self.location = location }

  var place: Place { [.places] }
  var crumb: Crumb { .location(location) }
  func deadline(_ world: World) -> Timestamp? { failure == nil ? Spinner.next(world.now) : nil }

  mutating func handle(_ event: ScreenEvent, _ world: World) -> [Effect] {
    switch event {
    case .appeared where serial == 0, .command(.refresh, _), .command(.reload, _):
      failure = nil
      serial += 1
      return [.ask(RequestID(owner: id, serial: serial), .nature(location))]
    case .command(.back, _): return [.close]
    case .command(.cancel, _):
      guard failure == nil else { return [] }
      failure = .cancelled("open \(location)")
      return [.cancel(RequestID(owner: id, serial: serial))]
    case .reply(let serial, .nature(let nature)) where serial == self.serial:
      switch nature {
      case .container, .both(primary: .listing): return [.replace(ListingScreen(location))]
      case .item, .both: return [.replace(DetailScreen(location))]
      }
    case .reply(let serial, .failure(let error)) where serial == self.serial:
      failure = error
    default: break
    }
    return []
  }

  func hints(_ world: World) -> [Command] { [.refresh, .go, .exchanges, .help, .back] }

  func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .actions, .copy, .view, .download, .upload, .delete, .nextPane, .previousPane: "nothing is open yet"
    default: nil
    }
  }

  func render(into buffer: inout CellBuffer, area: Area, world: World) {
    if let failure {
      StateView.failed(failure, into: &buffer, area: area, world: world, place: place)
    } else {
      StateView.loading("Opening \(location)", into: &buffer, area: area, world: world)
    }
  }
}
