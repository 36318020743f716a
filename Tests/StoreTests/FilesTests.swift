import Glibc
import Model
import TestKit
import Testing

@testable import Store

func mode(of path: String) throws -> mode_t {
  var status = stat()
  try #require(stat(path, &status) == 0)
  return status.st_mode & 0o777
}

@Suite struct FilesTests {
  @Test func `a replaced file is whole, private, and alone`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("old", to: "a")
    chmod(directory.file("a"), 0o644)
    try Files.replace(directory.file("a"), with: Array("new".utf8))
    #expect(directory.text("a") == "new")
    #expect(try mode(of: directory.file("a")) == 0o600)
    #expect(directory.names == ["a"])
  }

  @Test func `a symbolic link keeps pointing`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("old", to: "real")
    symlink("real", directory.file("link"))
    try Files.replace(directory.file("link"), with: Array("new".utf8))
    #expect(directory.text("real") == "new")
    #expect(directory.names == ["link", "real"])
  }

  @Test func `a file beyond the bound is refused`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("12345", to: "a")
    #expect(try Files.read(directory.file("a"), maxBytes: 5).count == 5)
    let error = #expect(throws: FileError.self) { try Files.read(directory.file("a"), maxBytes: 4) }
    #expect(error?.number == EFBIG)
  }

  @Test(arguments: [
    (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/atrium/config.yaml"),
    (["XDG_CONFIG_HOME": "relative", "HOME": "/h"], "/h/.config/atrium/config.yaml"),
    (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/atrium/config.yaml"),
    (["HOME": "/h"], "/h/.config/atrium/config.yaml"),
  ]) func `base directories follow XDG`(_ environment: [String: String], _ path: String) {
    #expect(StandardPaths(environment: environment).configurationFile == path)
  }

  @Test(arguments: [
    ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("..", "download"), (".bashrc", "bashrc"),
    ("a\u{0}b\n.txt", "a_b_.txt"), ("C:\\Users\\x.doc", "x.doc"), ("", "download"), ("企業.txt", "企業.txt"),
    ("-rf", "rf"), ("evil\u{202E}fdp.exe", "evil_fdp.exe"), ("/", "download"),
  ]) func `a server's file name stays one name in the directory`(_ name: String, _ safe: String) {
    #expect(FileName.safe(name) == safe)
  }

  @Test func `long names keep their extension`() {
    let safe = FileName.safe(String(repeating: "ü", count: 300) + ".pdf")
    #expect(safe.utf8.count <= 200)
    #expect(safe.hasSuffix(".pdf"))
  }

  @Test func `a taken name gets a number before its extension`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("", to: "a.pdf")
    try directory.write("", to: "a (2).pdf")
    #expect(FileName.free("a.pdf", in: directory.path) == "a (3).pdf")
    #expect(FileName.free("b.pdf", in: directory.path) == "b.pdf")
  }
}

@Suite struct PartFileTests {
  let directory: TemporaryDirectory
  let ledger: PartLedger
  let location = Location(connection: "docs", path: ["files", "a"])

  init() throws {
    directory = try TemporaryDirectory()
    ledger = PartLedger(StandardPaths(under: directory.file("home")))
  }

  private func open(_ location: Location? = nil) throws -> PartFile {
    try PartFile(directory.file("a"), from: location ?? self.location, ledger: ledger)
  }

  private func put(_ text: String, into file: PartFile) throws {
    try Array(text.utf8).withUnsafeBytes { try file.write($0) }
  }

  @Test func `the file appears only when it is whole`() throws {
    let file = try open()
    try file.begin(ContentHead(name: "a", mediaType: "text/plain", size: 4, validator: "v1"), at: 0)
    try put("ab", into: file)
    #expect(!directory.exists("a"))
    #expect(directory.text("a.part") == "ab")
    let error = #expect(throws: ServiceError.self) { try file.finish(size: 4) }
    #expect(error?.code == .brokenOff)
    #expect(!directory.exists("a"))
    try put("cd", into: file)
    try file.finish(size: 4)
    #expect(directory.text("a") == "abcd")
    #expect(!directory.exists("a.part"))
  }

  @Test func `a link keeps pointing, and what it points at becomes the file`() throws {
    try directory.write("old", to: "target")
    symlink("target", directory.file("a"))
    let file = try open()
    try file.begin(ContentHead(name: "a", mediaType: "text/plain", size: 3), at: 0)
    try put("new", into: file)
    try file.finish(size: 3)
    #expect(directory.text("target") == "new")
    var status = stat()
    #expect(lstat(directory.file("a"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }

  @Test(.bounded) func `a pipe takes the bytes and stays a pipe`() async throws {
    let path = directory.file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    #expect(Files.isSpecial(path) && Files.isSpecial("/dev/null") && !Files.isSpecial(directory.path))
    // Opened for both ends, so that nobody has to wait for the other.
    let reader = Glibc.open(path, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    let file = try StreamFile(path)
    try file.begin(ContentHead(name: "a", mediaType: "text/plain"), at: 0)
    try Array("bytes".utf8).withUnsafeBytes { try file.write($0) }
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &buffer, buffer.count) == 5)
    #expect(throws: FileError.self) { try file.begin(ContentHead(name: "a", mediaType: "text/plain"), at: 0) }
  }

  @Test func `a full device is an error and stays a device`() throws {
    let file = try StreamFile("/dev/full")
    let error = #expect(throws: ServiceError.self) { try [1].withUnsafeBytes { try file.write($0) } }
    #expect(error?.message.lowercased().contains("no space") == true)
    #expect(Files.isSpecial("/dev/full"))
  }

  @Test func `a part is continued only for the same content of the same place`() throws {
    do {
      let file = try open()
      #expect(file.request == DownloadRequest())
      try file.begin(ContentHead(name: "a", mediaType: "", validator: "v1"), at: 0)
      try put("ab", into: file)
    }
    #expect(try open().request == DownloadRequest(offset: 2, validator: "v1"))
    #expect(try open(Location(connection: "docs", path: ["files", "b"])).request == DownloadRequest())
  }

  @Test func `a part without a validator starts again`() throws {
    do {
      let file = try open()
      try file.begin(ContentHead(name: "a", mediaType: ""), at: 0)
      try put("ab", into: file)
    }
    #expect(try open().request == DownloadRequest())
  }

  @Test func `a server that starts again at zero empties the part`() throws {
    do {
      let file = try open()
      try file.begin(ContentHead(name: "a", mediaType: "", validator: "v1"), at: 0)
      try put("abcdef", into: file)
    }
    let file = try open()
    try file.begin(ContentHead(name: "a", mediaType: "", validator: "v2"), at: 0)
    try put("xy", into: file)
    try file.finish(size: 2)
    #expect(directory.text("a") == "xy")
  }

  @Test func `two downloads never write the same part`() throws {
    let first = try open()
    #expect(throws: ServiceError.self) { try open() }
    first.discardIfEmpty()
    #expect(!directory.exists("a.part"))
  }
}

@Suite struct FileSourceTests {
  @Test func `a file can be read twice`() throws {
    let directory = try TemporaryDirectory()
    try directory.write("hello", to: "a")
    let source = try FileSource(directory.file("a"))
    #expect(source.count == 5)
    for _ in 0..<2 {
      var buffer = [UInt8](repeating: 0, count: 3)
      #expect(try buffer.withUnsafeMutableBytes { try source.read(into: $0) } == 3)
      #expect(try buffer.withUnsafeMutableBytes { try source.read(into: $0) } == 2)
      #expect(try buffer.withUnsafeMutableBytes { try source.read(into: $0) } == 0)
      source.rewind()
    }
  }

  @Test func `a directory is no source`() throws {
    let directory = try TemporaryDirectory()
    let error = #expect(throws: FileError.self) { try FileSource(directory.path) }
    #expect(error?.number == EISDIR)
  }
}
