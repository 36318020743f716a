import Model

/// A film as one SVG that plays by itself, over and over, wherever a browser shows it.
///
/// Rows that occur more than once are drawn once and used again. The pictures lie below each other, and a style moves
/// them past a window in steps. Where movement is not wanted, or not known, one picture stands still: the one that was
/// shown longest.
package enum SVGFilm {
  /// How long the last picture stays before the film begins again, in milliseconds.
  private static let rest: Int64 = 3000

  package static func text(of film: Film) -> String {
    let (width, height) = SVGCanvas.size(of: film.size)
    var rows = RowStore()
    var pictures = ""
    for (index, picture) in film.pictures.enumerated() {
      pictures += "<g transform=\"translate(0,\(index * height))\">\(rows.uses(of: picture))</g>\n"
    }
    let background = film.pictures.first.map { Looks.background($0.theme) } ?? "#000000"
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      \(SVGCanvas.font)>
      \(film.title.map { "<title>\(SVGCanvas.escaped($0))</title>\n" } ?? "")<style>
      \(style(of: film, height: height))
      </style>
      <defs>
      \(rows.definitions)</defs>
      <rect width="100%" height="100%" rx="8" fill="\(background)"/>
      <svg width="\(width)" height="\(height)"><g class="film" transform="translate(0,\(-longest(film) * height))">
      \(pictures)</g></svg>
      </svg>

      """
  }

  private static func style(of film: Film, height: Int) -> String {
    let total = max(1, film.length + rest)
    let steps = film.pictures.enumerated().map { index, picture in
      "\(SVGCanvas.number(Double(picture.time) * 100 / Double(total)))%{transform:translateY(\(-index * height)px)}"
    }
    let seconds = SVGCanvas.number(Double(total) / 1000)
    // Motion that was asked not to move, and whatever knows no animation, leaves the still picture.
    return """
      @media (prefers-reduced-motion: no-preference) {.film{animation:film \(seconds)s step-end infinite}}
      @keyframes film {\(steps.joined())}
      """
  }

  private static func longest(_ film: Film) -> Int {
    let ends = film.pictures.dropFirst().map(\.time) + [film.length]
    let lengths = zip(film.pictures, ends).map { $1 - $0.time }
    return lengths.indices.max { lengths[$0] < lengths[$1] } ?? 0
  }

  /// Rows that were drawn already.
  private struct RowStore {
    private var names: [String: Int] = [:]
    private(set) var definitions = ""

    mutating func uses(of picture: Film.Picture) -> String {
      let size = SVGCanvas.size(of: picture.buffer.size)
      // Each picture brings its ground: a theme may change in between.
      var text =
        "<rect width=\"\(size.width)\" height=\"\(size.height)\" rx=\"8\" fill=\"\(Looks.background(picture.theme))\"/>"
      for row in 0..<picture.buffer.size.rows {
        let content = SVGCanvas.row(row, of: picture.buffer, picture.theme)
        guard !content.isEmpty else { continue }
        let top = SVGCanvas.padding + row * SVGCanvas.cellHeight
        text += "<use href=\"#r\(name(of: content))\" x=\"\(SVGCanvas.padding)\" y=\"\(top)\"/>"
      }
      return text
    }

    private mutating func name(of content: String) -> Int {
      if let known = names[content] { return known }
      let name = names.count
      names[content] = name
      definitions += "<g id=\"r\(name)\">\(content)</g>\n"
      return name
    }
  }
}
