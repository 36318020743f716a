import HTTPServer

/// A small HTML page.
struct Page: Sendable {
  let title: String
  let body: String

  static func failure(_ text: String) -> ServerResponse {
    Page(title: "Error", body: "<div id=\"error\">\(escape(text))</div>").response(400)
  }

  func response(_ status: Int = 200) -> ServerResponse {
    let page = """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(Self.escape(title))</title>
      <style>body{font:16px/1.5 sans-serif;max-width:32rem;margin:4rem auto;padding:0 1rem}#verifier{font-size:2rem}</style>
      </head><body>
      <h1>\(Self.escape(title))</h1>
      \(body)
      </body></html>

      """
    return .text(page, status: status, type: "text/html; charset=utf-8")
  }

  static func escape(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      default: escaped.append(character)
      }
    }
    return escaped
  }
}
