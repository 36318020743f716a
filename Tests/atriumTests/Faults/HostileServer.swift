import JSON
import Model
import TestKit

/// What a server's answer becomes when it wants to do harm with its texts.
enum HostileServer {
  /// Member names of the JSON objects in an answer whose values are texts.
  static func textKeys(in answer: [UInt8]) -> Set<String> {
    guard let root = document(of: answer)?.root else { return [] }
    var keys: Set<String> = []
    collect(root, into: &keys)
    return keys
  }

  /// Member names whose values are texts or numbers.
  static func valueKeys(in answer: [UInt8]) -> Set<String> {
    guard let root = document(of: answer)?.root else { return [] }
    var keys: Set<String> = []
    collect(root, into: &keys, [.string, .number])
    return keys
  }

  /// The answer with something else in place of every value that stands under a key.
  static func replaced(_ answer: [UInt8], _ key: String, with value: JSONNode) -> [UInt8] {
    rewritten(answer) { replaced($0, key, value) }
  }

  private static func replaced(_ node: JSONNode, _ key: String, _ value: JSONNode) -> JSONNode {
    switch node {
    case .array(let elements): .array(elements.map { replaced($0, key, value) })
    case .object(let members):
      .object(members.map { .init(key: $0.key, value: $0.key == key ? value : replaced($0.value, key, value)) })
    default: node
    }
  }

  /// The answer with something at the end of every text that stands under one of these keys; of all texts when nil.
  static func spoiled(_ answer: [UInt8], adding evil: String, to keys: Set<String>?) -> [UInt8] {
    rewritten(answer) { spoiled($0, under: "", evil, keys) }
  }

  /// The answer with another body, where its body is JSON.
  private static func rewritten(_ answer: [UInt8], _ change: (JSONNode) -> JSONNode) -> [UInt8] {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound, let root = document(of: answer)?.root
    else { return answer }
    let body = change(root.node()).encoded()
    let lines = String(decoding: answer[..<(end - 4)], as: UTF8.self).split(separator: "\r\n").map(String.init)
    let kept = lines.filter { line in
      !["content-length:", "transfer-encoding:"].contains { line.lowercased().hasPrefix($0) }
    }
    let head = (kept + ["Content-Length: \(body.count)"]).joined(separator: "\r\n")
    return Array("\(head)\r\n\r\n".utf8) + body
  }

  private static func document(of answer: [UInt8]) -> JSONDocument? {
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound else { return nil }
    let head = String(decoding: answer[..<end], as: UTF8.self).lowercased()
    guard head.contains("json"), !head.contains("chunked") || answer[end...].first != nil else { return nil }
    return try? JSONDocument(
      head.contains("transfer-encoding: chunked") ? joined(answer[end...]) : Array(answer[end...]))
  }

  /// The bytes of a chunked body.
  private static func joined(_ chunks: ArraySlice<UInt8>) -> [UInt8] {
    var rest = chunks
    var body: [UInt8] = []
    while let line = rest.firstRange(of: Array("\r\n".utf8)),
      let size = Int(String(decoding: rest[..<line.lowerBound], as: UTF8.self), radix: 16), size > 0
    {
      body += rest[line.upperBound...].prefix(size)
      rest = rest[line.upperBound...].dropFirst(size + 2)
    }
    return body
  }

  private static func collect(
    _ value: JSONValue, into keys: inout Set<String>, _ kinds: Set<JSONValue.Kind> = [.string]
  ) {
    for member in value.members {
      if kinds.contains(member.value.kind) { keys.insert(member.key) }
      if member.value.elements.contains(where: { kinds.contains($0.kind) }) { keys.insert(member.key) }
      collect(member.value, into: &keys, kinds)
    }
    for element in value.elements { collect(element, into: &keys, kinds) }
  }

  private static func spoiled(_ node: JSONNode, under key: String, _ evil: String, _ keys: Set<String>?) -> JSONNode {
    switch node {
    case .string(let text): keys?.contains(key) ?? true ? .string(text + evil) : node
    case .array(let elements): .array(elements.map { spoiled($0, under: key, evil, keys) })
    case .object(let members):
      .object(members.map { .init(key: $0.key, value: spoiled($0.value, under: $0.key, evil, keys)) })
    default: node
    }
  }
}
