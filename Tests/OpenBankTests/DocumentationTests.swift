import Glibc
import Store
import Testing

/// The pages of the kit's documentation, each with an example that compiles.
@Suite struct DocumentationTests {
  private static let folder: String = {
    let parts = #filePath.split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/") + "/Sources/OpenBank/OpenBank.docc"
  }()

  /// The lines of the Swift block of a page.
  private static func example(in page: String) -> [String]? {
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let start = lines.firstIndex(of: "```swift") else { return nil }
    return Array(lines[(start + 1)...].prefix { $0 != "```" })
  }

  /// The lines of an example that is compiled here, without their margin.
  private static func compiled(_ name: String, in source: String) -> [String]? {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let mark = lines.firstIndex(of: "  // example: \(name)"),
      let start = lines[mark...].firstIndex(where: { $0.hasSuffix("{") && $0.hasPrefix("  )") })
    else { return nil }
    return lines[(start + 1)...].prefix { $0 != "    // end" }.map { String($0.dropFirst(4)) }
  }

  private static let source = #filePath.replacing("DocumentationTests", with: "DocumentationExamples")

  @Test(arguments: Files.names(in: DocumentationTests.folder).filter { $0.hasSuffix(".md") })
  func `the example of a page is one that compiles`(name: String) throws {
    let page = String(decoding: try Files.read("\(DocumentationTests.folder)/\(name)"), as: UTF8.self)
    let source = String(decoding: try Files.read(DocumentationTests.source), as: UTF8.self)
    let shown = try #require(DocumentationTests.example(in: page))
    let compiled = try #require(DocumentationTests.compiled(String(name.dropLast(3)), in: source))
    #expect(shown == compiled)
  }

  @Test func `there are pages`() { #expect(Files.names(in: DocumentationTests.folder).count > 5) }
}
