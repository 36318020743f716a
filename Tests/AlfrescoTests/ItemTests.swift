import Model
import TestKit
import Testing
import Wire

@testable import Alfresco

@Suite struct ItemTests {
  private func item(_ body: String, readOnly: Bool = false) async throws -> Item {
    let desk = try Desk(settings: readOnly ? ["readOnly": "true"] : [:])
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: body)
    return try await desk.backend.item(desk.at("/nodes/c4b7"))
  }

  @Test func `a node shows its properties by aspect, and what hangs on it`() async throws {
    let item = try await item(Sample.file)
    #expect(item.title == "Quay 7 facility.pdf")
    #expect(item.sections.map(\.title) == ["File", "Owner", "Tags", "Title", "Versions", "Permissions"])
    let values = Dictionary(uniqueKeysWithValues: item.fields.map { ($0.id, $0.value) })
    #expect(values["cm:owner"] == .text("Omar Haddad"))
    #expect(values["cm:taggable"] == .list([.text("8d1f"), .text("9e2a")]))
    #expect(values["permissions.local"] == .list([.text("omar: not Editor")]))
    #expect(values["allowed"] == .list([.text("delete"), .text("update")]))
    #expect(
      item.related.map(\.location.text) == [
        "docs:/nodes/3f0e", "docs:/nodes/c4b7/@versions", "docs:/nodes/c4b7/@comments", "docs:/nodes/c4b7/@tags",
        "docs:/nodes/c4b7/@renditions", "docs:/nodes/c4b7/@ratings", "docs:/nodes/c4b7/@categories",
        "docs:/nodes/c4b7/@associations",
      ])
    #expect(item.content?.validator == "\"1795791764911\"")
    #expect(item.content?.size == 482_913)
  }

  @Test func `what the server does not allow is off, with the reason`() async throws {
    let body = Sample.file.replacing(#"["delete","update"]"#, with: #"["update"]"#)
    let actions = try await item(body).actions
    #expect(actions.first { $0.id == "move" }?.disabled == "you may not delete here")
    #expect(actions.first { $0.id == "rename" }?.disabled == nil)
    #expect(actions.contains { $0.id == "unfavorite" })
  }

  @Test func `a file locked by somebody else says by whom`() async throws {
    let body = Sample.file.replacing(#""isLocked":false"#, with: #""isLocked":true"#)
      .replacing(#""cm:title""#, with: #""cm:lockOwner":{"id":"omar","displayName":"Omar Haddad"},"cm:title""#)
    let actions = try await item(body).actions
    #expect(actions.first { $0.id == "rename" }?.disabled == "it is locked by Omar Haddad")
    #expect(actions.contains { $0.id == "unlock" })
  }

  @Test func `a read-only connection writes nothing`() async throws {
    let actions = try await item(Sample.file, readOnly: true).actions
    #expect(actions.allSatisfy { $0.disabled != nil })
    let desk = try Desk(settings: ["readOnly": "true"])
    let location = try desk.at("/nodes/c4b7")
    for work in [
      { () async throws in _ = try await desk.backend.delete(location) },
      { _ = try await desk.backend.perform("rename", at: location, fields: ["name": "x"]) },
      { _ = try await desk.backend.upload(UploadRequest(MemorySource([])), to: location, progress: { _, _ in }) },
      { _ = try await desk.backend.call(RawCall("DELETE", "/x"), to: MemorySink()) },
    ] {
      let error = await #expect(throws: ServiceError.self) { try await work() }
      #expect(error?.code == .readOnly)
    }
    #expect(desk.stub.requests.isEmpty)
  }

  @Test func `an unknown action and a missing field are named`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    let location = try desk.at("/nodes/c4b7")
    var error = await #expect(throws: ServiceError.self) {
      try await desk.backend.perform("fly", at: location, fields: [:])
    }
    #expect(error?.code == .notOffered)
    error = await #expect(throws: ServiceError.self) {
      try await desk.backend.perform("rename", at: location, fields: [:])
    }
    #expect(error?.code == .usage)
    #expect(error?.line.contains("“name”") == true)
  }

  @Test func `a link must hold for a day`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7", body: Sample.file)
    let location = try desk.at("/nodes/c4b7")
    let error = await #expect(throws: ServiceError.self) {
      try await desk.backend.perform("share", at: location, fields: ["expires": "2020-01-01"])
    }
    #expect(error?.code == .usage)
    #expect(desk.stub.requests.count == 1)
  }

  @Test func `a whole answer counts as whole although it names a range`() async throws {
    let desk = try Desk()
    desk.stub.on(
      "GET", "\(Desk.core)/nodes/c4b7/content",
      headers: ["Content-Range": "bytes 0-4/5", "Content-Length": "5", "Content-Type": "text/plain"], body: "hello")
    let sink = MemorySink()
    let head = try await desk.backend.download(
      desk.at("/nodes/c4b7"), DownloadRequest(offset: 3, validator: "\"1\""), to: sink, progress: { _, _ in })
    #expect(sink.offset == 0)
    #expect(sink.text == "hello")
    #expect(head.size == 5)
  }

  @Test func `a range beyond the end begins again`() async throws {
    let desk = try Desk()
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7/content", status: 416, headers: ["Content-Range": "\"*\""])
    desk.stub.on("GET", "\(Desk.core)/nodes/c4b7/content", headers: ["ETag": "\"2\""], body: "new")
    let sink = MemorySink()
    _ = try await desk.backend.download(
      desk.at("/nodes/c4b7"), DownloadRequest(offset: 9, validator: "\"1\""), to: sink, progress: { _, _ in })
    #expect(sink.text == "new")
    #expect(desk.stub.requests.map { $0.request.headers["Range"] } == ["bytes=9-", nil])
  }

  @Test func `an upload is a form with the bytes as they are`() throws {
    let bytes: [UInt8] = Array("a\r\n--b\u{0}\u{ff}".utf8)
    let source = MultipartSource(
      fields: [(name: "name", value: "ü\".txt")], name: "ü\".txt", mediaType: "text/plain", file: MemorySource(bytes),
      boundary: "xyz")
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 7)
    for _ in 0..<2 {
      all = []
      while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }), count > 0 {
        all += buffer[..<count]
      }
      try source.rewind()
    }
    let head =
      "--xyz\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nü\".txt\r\n"
      + "--xyz\r\nContent-Disposition: form-data; name=\"filedata\"; filename=\"ü%22.txt\"\r\nContent-Type: text/plain\r\n\r\n"
    #expect(all == Array(head.utf8) + bytes + Array("\r\n--xyz--\r\n".utf8))
    #expect(source.count == Int64(all.count))
  }
}
