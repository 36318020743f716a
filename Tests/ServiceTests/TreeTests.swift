import Glibc
import Model
import Store
import TestKit
import Testing

@testable import Service

/// Folders with all that is in them, and taken names.
@Suite(.bounded) struct TreeTests {
  @Test func `a tree is planned outer folders first, links left out`() throws {
    let directory = try TemporaryDirectory()
    for name in ["tree", "tree/b", "tree/b/c"] { try Files.makeDirectory(directory.file(name)) }
    try directory.write("12345", to: "tree/b/c/deep.txt")
    try directory.write("1", to: "tree/a.txt")
    symlink("/etc", directory.file("tree/link"))
    let plan = try UploadPlan(directory.file("tree"))
    #expect(plan.folders == ["tree", "tree/b", "tree/b/c"])
    #expect(plan.files.map(\.path) == ["tree/a.txt", "tree/b/c/deep.txt"])
    #expect(plan.total == 6)
  }

  @Test func `names that one directory cannot hold together get numbers`() {
    #expect(FileNames(["a", "A", "a/b", "a"]).unique == ["a", "2-A", "b", "3-a"])
  }

  @Test func `a decision for all is not asked for again`() throws {
    let memory = ClashMemory()
    #expect(try memory.take("major", "x") == .newVersion(isMajor: true))
    #expect(memory.forAll == nil)
    #expect(try memory.take("all-out", "x") == .leaveOut)
    #expect(memory.forAll == .leaveOut)
    #expect(throws: ServiceError.self) { try memory.take("cancel", "x") }
  }

  @Test(arguments: ClashMemory.choices(isMany: true).map(\.value))
  func `every choice that is offered is understood`(_ word: String) throws {
    guard word != "cancel" else { return }
    _ = try ClashMemory().take(word, "x")
  }

  @Test func `what cannot be read does not end the rest of a tree, what is gone does`() throws {
    var walk = TreeWalk { _, _ in }
    let place = Location(connection: "docs", path: ["x"])
    try walk.bear(ServiceError(.forbidden, "x"), place)
    try walk.bear(ServiceError(.notFound, "x"), place)
    #expect(walk.failure("download").detail?.contains("and 1 more") == true)
    #expect(throws: ServiceError.self) { try walk.bear(ServiceError(.unreachable, "x"), place) }
  }
}
