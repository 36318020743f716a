import Model

/// A screen as an SVG picture.
package enum SVGPicture {
  package static func text(of buffer: CellBuffer, _ theme: Theme) -> String {
    let (width, height) = SVGCanvas.size(of: buffer.size)
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(height)\" viewBox=\"0 0 \(width) \(height)\""
      + " \(SVGCanvas.font)>\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"\(Looks.background(theme))\"/>\n"
    for row in 0..<buffer.size.rows {
      let content = SVGCanvas.row(row, of: buffer, theme)
      guard !content.isEmpty else { continue }
      let top = SVGCanvas.padding + row * SVGCanvas.cellHeight
      text += "<g transform=\"translate(\(SVGCanvas.padding),\(top))\">\(content)</g>\n"
    }
    return text + "</svg>\n"
  }
}
