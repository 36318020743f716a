import Model

/// How old what is shown is, for the footer; nothing when it has just come.
enum FreshnessText {
  static func span(_ freshness: Freshness, _ world: World) -> Span? {
    switch freshness {
    case .live: return nil
    case .cached(let time): return Span("cached \(Format.age(of: time, now: world.now))", .warning, on: .footer)
    case .offline(let time):
      let since = time.map { ", as of \(world.zone.short($0, now: world.now))" } ?? ""
      return Span("offline\(since)", .warning, on: .footer)
    }
  }
}
