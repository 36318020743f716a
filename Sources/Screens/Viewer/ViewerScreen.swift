import Model

/// Looks at text, JSON or bytes: an answer as received, a field in full, a document's content.
package struct ViewerScreen: Screen {
  enum Source: Sendable {
    case given
    /// The item's answer as the server sent it.
    case raw(Location)
    case content(Location)
  }

  enum Mode: String, Sendable { case text, tree, hex, picture }

  enum Phase: Sendable {
    case idle
    case loading
    case loaded
    case failed(ServiceError)
  }

  package var id = 0
  let location: Location
  var title: String
  let source: Source
  var phase = Phase.idle
  var serial = 0

  var bytes: [UInt8] = []
  var mediaType = ""
  var isCut = false
  /// What a program of this machine made of the bytes: the words of a PDF, a picture in block characters.
  var converted: String?
  /// Why it could make nothing of them.
  var conversionFailure: ServiceError?
  /// What was ordered last: a picture is made for the room there is and for what the terminal can paint.
  var ordered: Conversion?
  var mode = Mode.text
  var tree: JSONTree?
  var pager = Pager()
  var hexTop = Scroller()
  var isWrapped = true
  var layout: (columns: Int, isWrapped: Bool)?
  var prompt: TextField?

  /// As much of some content as a person looks at; the rest is what downloads are for.
  static let maxBytes = 4 << 20

  package init(location: Location, title: String, text: String) {
    self.location = location
    self.title = title
    source = .given
    take(Array(text.utf8), mediaType: "text/plain")
  }

  package init(location: Location, title: String, answer: RawAnswer) {
    self.location = location
    self.title = title
    source = .given
    take(answer.bytes, mediaType: answer.mediaType)
  }

  package init(location: Location, title: String, bytes: [UInt8], mediaType: String) {
    self.location = location
    self.title = title
    source = .given
    take(bytes, mediaType: mediaType)
  }

  package init(raw location: Location, title: String) {
    self.location = location
    self.title = title
    source = .raw(location)
  }

  package init(content location: Location, head: ContentHead) {
    self.location = location
    title = head.name
    source = .content(location)
  }

  package var place: Place { mode == .tree ? .trees : .text }
  package var crumb: Crumb { .location(location) }
  package var takesText: Bool { prompt != nil }
  package func deadline(_ world: World) -> Timestamp? {
    guard case .loading = phase else { return nil }
    return Spinner.next(world.now)
  }

  mutating func take(_ bytes: [UInt8], mediaType: String) {
    self.bytes = bytes
    self.mediaType = mediaType
    phase = .loaded
    layout = nil
    tree = ViewerScreen.mayBeJSON(bytes, mediaType) ? JSONOutline(bytes).map { JSONTree($0) } : nil
    converted = nil
    conversionFailure = nil
    ordered = nil
    mode = tree != nil ? .tree : isConvertible ? .picture : ViewerScreen.isText(bytes) ? .text : .hex
  }

  /// Whether a program can make something of it to look at.
  var isConvertible: Bool {
    !isCut && (mediaType.hasPrefix("image/") || ViewerScreen.isPDF(bytes, mediaType))
  }

  static func isPDF(_ bytes: [UInt8], _ mediaType: String) -> Bool {
    mediaType == "application/pdf" || bytes.starts(with: "%PDF-".utf8)
  }

  private static func mayBeJSON(_ bytes: [UInt8], _ mediaType: String) -> Bool {
    if mediaType.contains("json") { return true }
    let first = bytes.first { $0 > 32 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Text is what is UTF-8 and has no NUL; a cut in the middle of a character is forgiven.
  static func isText(_ bytes: [UInt8]) -> Bool {
    let sample = bytes.prefix(64 << 10)
    if sample.contains(0) { return false }
    let text = String(decoding: sample, as: UTF8.self)
    return !text.dropLast(1).unicodeScalars.contains("\u{FFFD}")
  }

  // MARK: What works just now

  package func hints(_ world: World) -> [Command] {
    [.filter, .nextMatch, .view, .unfold, .foldAll, .wrap, .copy, .openOutside, .help, .back]
  }

  package func reason(against command: Command, _ world: World) -> String? {
    switch command {
    case .nextMatch, .previousMatch: return finder.lines.isEmpty ? "nothing is looked for; / finds" : nil
    case .filter where mode == .hex: return "v shows it as text, where / finds"
    case .filter where mode == .picture && !ViewerScreen.isPDF(bytes, mediaType): return "it is a picture"
    case .wrap: return mode == .text && tree == nil ? nil : "only text is wrapped"
    case .refresh, .reload:
      if case .given = source { return "go back and refresh what it came from" }
      return nil
    case .download, .upload, .delete: return "go back to the item for that"
    case .actions: return "go back to the item for its actions"
    case .nextPane, .previousPane: return "there is only one pane"
    default: return nil
    }
  }

  package func status(_ world: World) -> Line {
    guard case .loaded = phase else { return Line() }
    var parts: [Span] = []
    if !finder.status.isEmpty { parts += [Span(finder.status, .match, on: .footer), Span("  ", .dim, on: .footer)] }
    if let tree, mode == .tree, let node = tree.selected, world.size.columns >= 60 {
      parts += [
        Span(tree.outline.path(of: node).fitted(columns: world.size.columns / 3), .dim, on: .footer),
        Span("  ", .dim, on: .footer),
      ]
    }
    let isWords = mode == .picture && ViewerScreen.isPDF(bytes, mediaType)
    parts.append(Span(isWords ? "words of the PDF" : mode.rawValue, .text, on: .footer))
    return Line(parts)
  }

  package func renderPrompt(into buffer: inout CellBuffer, area: Area) -> Bool {
    guard let prompt else { return false }
    PromptLine.render(prompt, into: &buffer, area: area)
    return true
  }
}
