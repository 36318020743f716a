import HTTPServer

/// One of the five servers: its addresses, its answers, and what a client has to be told to get in.
package protocol Door: Sendable {
  /// The connection's name in the configuration: `bank`, `docs`, `mobile`, `mfp`, `field`.
  var name: String { get }

  /// Path prefixes that belong to this server, on segment boundaries (`/obp`, `/my/logins`). The longest one wins.
  var prefixes: [String] { get }

  /// Answers one request. Runs on the connection's own thread, many at once, and may block.
  func handle(_ request: SandboxRequest) -> ServerResponse

  /// The connection's entry of `config.yaml`: YAML at the left margin, without the list's dash, beginning with
  /// `name:`. All its addresses start with `origin`, and its credentials are literal, so that everything signs in unattended.
  func configuration(origin: String) -> String

  /// Lines for people, such as `bank    susan / s3cret…   consumer key …`, printed under the address.
  var credentials: [String] { get }

  /// Makes the server misbehave in a way that only it knows how to.
  func suffer(_ event: DoorEvent)

  /// Changes how the server behaves, where servers of its kind differ; false where it knows no such setting or value.
  func set(_ name: String, to value: String) -> Bool
}

extension Door {
  package func set(_ name: String, to value: String) -> Bool { false }
}

/// What the control endpoint can do to a door from the inside.
package enum DoorEvent: String, Sendable, CaseIterable {
  /// Every token and session handed out so far is refused from now on.
  case expireTokens = "expire-tokens"
  /// The next write finds that somebody else has changed the object: 409 or 412, in the server's own way.
  case conflict
  /// All data is again as it was at the start.
  case reset
}

/// What every door is made from.
package struct DoorSetting: Sendable {
  package let options: SandboxOptions
  package let city: City
  /// Dates what is created at run time. Generated data is dated back from `present` instead, so equal seeds give equal bytes.
  package let clock: SandboxClock

  package init(options: SandboxOptions, clock: SandboxClock = .system) {
    self.options = options
    self.clock = clock
    city = City(seed: options.seed)
  }

  /// Randomness for one named purpose of this sandbox.
  package func random(_ name: String, index: Int = 0) -> SeededRandom {
    SeededRandom(seed: options.seed, name, index: index)
  }

  /// The newest moment in generated data: noon on 29 November 2026, UTC.
  package static let present = SandboxTime(year: 2026, month: 11, day: 29, hour: 12)
}
