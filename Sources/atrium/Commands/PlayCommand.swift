import Model
import Stage

enum PlayCommand {
  static let command = Command(
    "play", ["TAPE"], "play a keyboard demo, in this terminal or into files",
    details: [
      "In a terminal the tape presses the keys for you: any key takes over, F12 gives the keyboard back to the tape.",
      "With --size, or where there is no terminal, it plays out of sight, as fast as it can, and always the same.",
      "What a tape says is explained in atrium-tape(5).",
    ],
    options: [
      Option("speed", value: "X", "play X times as fast"),
      Option("size", value: "COLSxROWS", "play out of sight in a terminal of this size"),
      Option("cast", value: "FILE", "write what was shown as asciicast v2"),
      Option("film", value: "FILE", "write it as an SVG that plays by itself"),
      Option("pictures", value: "DIRECTORY", "draw the tape's screenshots, as SVG and as text"),
      Option("stay", "stay in the browser at the end"),
    ],
    arguments: 1...1, fullScreen: true, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let invocation = session.invocation
    var performance = try Performance(session.arguments[0])
    if let text = invocation.value("speed") {
      guard let speed = Double(text), (0.1...100).contains(speed) else {
        throw .usage("--speed takes a number from 0.1 to 100, not “\(text)”", command)
      }
      performance.speed = speed
    }
    if let text = invocation.value("size") {
      guard let size = Size(text) else {
        throw .usage("--size takes COLSxROWS from 20x5 to 500x200, not “\(text)”", command)
      }
      performance.size = size
    }
    performance.output = FilmOutput(
      cast: invocation.value("cast"), film: invocation.value("film"), pictures: invocation.value("pictures"))
    performance.staysOpen = invocation.has("stay")
    return try await performance.run(session)
  }
}
