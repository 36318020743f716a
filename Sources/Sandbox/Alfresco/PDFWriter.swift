/// Writes text as a PDF that any reader opens: one built-in font, A4 pages, uncompressed streams.
///
/// The built-in fonts know Latin-1 alone; any other character becomes a question mark in the page.
enum PDFWriter {
  static func document(title: String, paragraphs: [String]) -> [UInt8] {
    let lines = [title, ""] + paragraphs.flatMap { wrapped($0) + [""] }
    let pages = stride(from: 0, to: lines.count, by: linesPerPage).map {
      Array(lines[$0..<min($0 + linesPerPage, lines.count)])
    }
    var objects: [[UInt8]] = []
    let pageIDs = pages.indices.map { 4 + $0 * 2 }
    objects.append(Array("<< /Type /Catalog /Pages 2 0 R >>".utf8))
    let kids = pageIDs.map { "\($0) 0 R" }.joined(separator: " ")
    objects.append(Array("<< /Type /Pages /Kids [\(kids)] /Count \(pages.count) >>".utf8))
    objects.append(Array("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".utf8))
    for (page, id) in zip(pages, pageIDs) {
      let body = content(page)
      objects.append(
        Array(
          ("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents \(id + 1) 0 R "
            + "/Resources << /Font << /F1 3 0 R >> >> >>").utf8))
      objects.append(Array("<< /Length \(body.count) >>\nstream\n".utf8) + body + Array("\nendstream".utf8))
    }
    return assembled(objects)
  }

  private static let linesPerPage = 50
  private static let columns = 92

  private static func assembled(_ objects: [[UInt8]]) -> [UInt8] {
    var bytes = Array("%PDF-1.4\n".utf8)
    var offsets: [Int] = []
    for (index, object) in objects.enumerated() {
      offsets.append(bytes.count)
      bytes += Array("\(index + 1) 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
    }
    let start = bytes.count
    bytes += Array("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8)
    for offset in offsets { bytes += Array("\(SandboxTime.padded(offset, 10)) 00000 n \n".utf8) }
    bytes += Array("trailer\n<< /Size \(objects.count + 1) /Root 1 0 R >>\nstartxref\n\(start)\n%%EOF\n".utf8)
    return bytes
  }

  private static func content(_ lines: [String]) -> [UInt8] {
    var bytes = Array("BT /F1 11 Tf 14 TL 56 786 Td\n".utf8)
    for line in lines {
      bytes += Array("(".utf8)
      for scalar in line.unicodeScalars {
        switch scalar {
        case "(", ")", "\\": bytes += [0x5C, UInt8(scalar.value)]
        case _ where (32...126).contains(scalar.value) || (160...255).contains(scalar.value):
          bytes.append(UInt8(scalar.value))
        default: bytes.append(UInt8(ascii: "?"))
        }
      }
      bytes += Array(") Tj T*\n".utf8)
    }
    return bytes + Array("ET".utf8)
  }

  private static func wrapped(_ paragraph: String) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + word.count >= columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    return lines + [line]
  }
}
