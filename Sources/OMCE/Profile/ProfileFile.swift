import FoundationEssentials
import JSON
import Model

/// A profile in a file: an `OMC.plist` in XML or binary form, or the `toolsConfig.json` of Oracle's tools.
enum ProfileFile {
  private static let mostBytes = 1 << 20

  static func read(_ path: String, in directory: String) throws(ServiceError) -> (PropertyTree, warnings: [String]) {
    let full = path.hasPrefix("/") || directory.isEmpty ? path : "\(directory)/\(path)"
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(filePath: full)))
    } catch {
      throw unreadable(path, "the file cannot be read (\(full))", error)
    }
    guard bytes.count <= mostBytes else { throw unreadable(path, "the file has more than 1 MiB", nil) }
    return try read(bytes, named: path)
  }

  static func read(_ bytes: [UInt8], named path: String) throws(ServiceError) -> (PropertyTree, warnings: [String]) {
    if bytes.starts(with: Array("bplist".utf8)) { return (try binary(bytes, path), []) }
    if bytes.first(where: { $0 > 0x20 && $0 < 0x80 }) == UInt8(ascii: "{") { return (try json(bytes, path), []) }
    var reader = PlistReader(bytes)
    do {
      let tree = try reader.read()
      return (tree, reader.warnings.map { "\(path), \($0)" })
    } catch {
      throw unreadable(path, "line \(error.line): \(error.reason)", error)
    }
  }

  private static func binary(_ bytes: [UInt8], _ path: String) throws(ServiceError) -> PropertyTree {
    do {
      return try PropertyListDecoder().decode(DecodedTree.self, from: Data(bytes)).tree
    } catch {
      throw unreadable(path, "it is no property list", error)
    }
  }

  private static func json(_ bytes: [UInt8], _ path: String) throws(ServiceError) -> PropertyTree {
    do {
      return PropertyTree(try JSONDocument(bytes).root)
    } catch {
      throw unreadable(path, error.message, error)
    }
  }

  private static func unreadable(_ path: String, _ why: String, _ cause: (any Error)?) -> ServiceError {
    ServiceError(.configuration, "read “\(path)”", detail: "\(path): \(why)", cause: cause)
  }
}

extension PropertyTree {
  init(_ json: JSONValue) {
    switch json.kind {
    case .object: self = .table(json.members.map { Member(key: $0.key, value: PropertyTree($0.value), line: nil) })
    case .array: self = .list(json.elements.map { PropertyTree($0) })
    case .bool: self = .flag(json.bool ?? false)
    case .string, .number: self = .text(json.text ?? "")
    case .null, .absent: self = .text("")
    }
  }
}

/// Any value of a binary property list.
private struct DecodedTree: Decodable {
  let tree: PropertyTree

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let table = try? decoder.container(keyedBy: Key.self) {
      tree = .table(
        try table.allKeys.map {
          .init(key: $0.stringValue, value: try table.decode(DecodedTree.self, forKey: $0).tree, line: nil)
        })
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [PropertyTree] = []
      while !list.isAtEnd { elements.append(try list.decode(DecodedTree.self).tree) }
      tree = .list(elements)
    } else {
      let single = try decoder.singleValueContainer()
      if let flag = try? single.decode(Bool.self) {
        tree = .flag(flag)
      } else if let whole = try? single.decode(Int64.self) {
        tree = .text(String(whole))
      } else if let number = try? single.decode(Double.self) {
        tree = .text(String(number))
      } else {
        tree = .text(try single.decode(String.self))
      }
    }
  }
}
