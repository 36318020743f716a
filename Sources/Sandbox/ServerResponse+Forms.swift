import HTTPServer
import JSON

extension ServerResponse {
  /// Text of a type, UTF-8.
  package static func text(
    _ text: String, status: Int = 200, type: String = "text/plain; charset=utf-8"
  ) -> ServerResponse {
    ServerResponse(status: status, headers: [("Content-Type", type)], body: .bytes(Array(text.utf8)))
  }

  /// A JSON value, `application/json`.
  package static func json(
    _ node: JSONNode, status: Int = 200, type: String = "application/json", pretty: Bool = false
  ) -> ServerResponse {
    ServerResponse(status: status, headers: [("Content-Type", type)], body: .bytes(node.encoded(pretty: pretty)))
  }

  /// An answer without a body.
  package static func empty(_ status: Int) -> ServerResponse {
    ServerResponse(status: status, headers: [], body: .bytes([]))
  }

  /// The same answer with one more header.
  package func adding(_ name: String, _ value: String) -> ServerResponse {
    var response = self
    response.headers.append((name, value))
    return response
  }

  /// The first header of that name, in any case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The body as bytes, whatever form it has; a file is not read.
  package var bodyBytes: [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .file: return []
    case .generated(let length, let fill):
      var bytes: [UInt8] = []
      var chunk = [UInt8](repeating: 0, count: 65_536)
      while length.map({ bytes.count < $0 }) ?? true {
        let count = chunk.withUnsafeMutableBytes { fill(bytes.count, $0) }
        guard count > 0 else { break }
        bytes += chunk[..<count]
      }
      return bytes
    }
  }

  package var bodyText: String { String(decoding: bodyBytes, as: UTF8.self) }
}
