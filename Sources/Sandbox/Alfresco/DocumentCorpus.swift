import JSON

/// A language in which documents of the repository are written.
enum DocumentLanguage: String, Sendable, CaseIterable {
  case english = "en", german = "de", french = "fr", spanish = "es", japanese = "ja", greek = "el", arabic = "ar"

  /// What stands between two sentences.
  var separator: String { self == .japanese ? "" : " " }
}

/// The text of one generated document: which sentences of the corpus it holds, in which order.
///
/// A document is a few numbers until somebody reads it, so tens of thousands of them cost little.
struct DocumentText: Sendable, Equatable {
  let language: DocumentLanguage
  let title: String
  let sentences: [Int32]
}

/// The sentences that all generated documents of one repository are made of.
struct DocumentCorpus: Sendable {
  private let sentences: [DocumentLanguage: [String]]

  init(seed: UInt64) {
    var all: [DocumentLanguage: [String]] = [:]
    for language in DocumentLanguage.allCases {
      var random = SeededRandom(seed: seed, "corpus.\(language.rawValue)")
      all[language] = CorpusTemplates.sentences(language).flatMap { template in
        (0..<Self.variants).map { _ in CorpusTemplates.filled(template, &random) }
      }
    }
    sentences = all
  }

  /// Each template appears this often, with other names and numbers.
  private static let variants = 6

  func sentences(_ language: DocumentLanguage) -> [String] { sentences[language] ?? [] }

  /// A text of `length` sentences about one thing.
  func makeText(
    _ language: DocumentLanguage, title: String, length: Int, _ random: inout SeededRandom
  ) -> DocumentText {
    let bound = sentences(language).count
    return DocumentText(
      language: language, title: title, sentences: (0..<length).map { _ in Int32(random.below(bound)) })
  }

  /// Title, blank line, paragraphs of four sentences.
  func paragraphs(of text: DocumentText) -> [String] {
    let all = sentences(text.language)
    let chosen = text.sentences.map { all[Int($0)] }
    return stride(from: 0, to: chosen.count, by: 4).map { start in
      chosen[start..<min(start + 4, chosen.count)].joined(separator: text.language.separator)
    }
  }
}

/// How a generated text is laid out in its file.
enum DocumentFormat: String, Sendable {
  case plain, markdown, html, csv, json, pdf

  var mimeType: String {
    switch self {
    case .plain: "text/plain"
    case .markdown: "text/x-markdown"
    case .html: "text/html"
    case .csv: "text/csv"
    case .json: "application/json"
    case .pdf: "application/pdf"
    }
  }

  var suffix: String {
    switch self {
    case .plain: "txt"
    case .markdown: "md"
    default: rawValue
    }
  }
}

extension DocumentCorpus {
  /// The bytes of the file that holds `text`.
  func render(_ text: DocumentText, as format: DocumentFormat) -> [UInt8] {
    let paragraphs = paragraphs(of: text)
    switch format {
    case .plain:
      return Array("\(text.title)\n\n\(paragraphs.joined(separator: "\n\n"))\n".utf8)
    case .markdown:
      return Array("# \(text.title)\n\n\(paragraphs.joined(separator: "\n\n"))\n".utf8)
    case .html:
      let body = paragraphs.map { "<p>\(Self.escaped($0))</p>" }.joined(separator: "\n")
      let head = "<meta charset=\"utf-8\"><title>\(Self.escaped(text.title))</title>"
      return Array(
        "<!doctype html>\n<html lang=\"\(text.language.rawValue)\"><head>\(head)</head>\n<body>\n\(body)\n</body></html>\n"
          .utf8)
    case .csv:
      let rows = paragraphs.enumerated().map { "\($0.offset + 1),\"\($0.element.replacing("\"", with: "\"\""))\"" }
      return Array("line,text\r\n\(rows.joined(separator: "\r\n"))\r\n".utf8)
    case .json:
      let node: JSONNode = [
        "title": .string(text.title), "language": .string(text.language.rawValue),
        "paragraphs": .array(paragraphs.map { .string($0) }),
      ]
      return node.encoded(pretty: true)
    case .pdf:
      return PDFWriter.document(title: text.title, paragraphs: paragraphs)
    }
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
