import Model
import Service
import TestKit
import Testing
import Wire

/// Something that somebody does with a kind of back end, and the requests it stands on.
struct Operation: Sendable, CustomTestStringConvertible {
  enum Sort: Sendable {
    case reads, streams, writes, signsIn
    /// Reads an answer that may be anything at all.
    case anything
  }

  let testDescription: String
  let connection: String
  let sort: Sort
  /// Method and the mark in the target of the request that the operation is about.
  let method: String
  let mark: String
  let run: @Sendable (ServiceLayer, Bench) async throws(ServiceError) -> Void
  /// Done before each run, out of reach of any fault.
  var prepare: @Sendable (ServiceLayer) async -> Void = { _ in }

  init(
    _ connection: String, _ name: String, _ sort: Sort, _ method: String, _ mark: String,
    run: @escaping @Sendable (ServiceLayer, Bench) async throws(ServiceError) -> Void
  ) {
    testDescription = "\(connection): \(name)"
    self.connection = connection
    self.sort = sort
    self.method = method
    self.mark = mark
    self.run = run
  }

  func isAbout(_ request: FaultServer.Request) -> Bool {
    (method.isEmpty || request.method == method) && request.target.contains(mark)
  }

  func end(of fault: WireFault) -> WireFault.End {
    switch sort {
    case .reads: fault.reads
    case .signsIn: fault.signsIn
    case .anything: fault.anything
    case .streams: fault.streams
    case .writes: fault.writes
    }
  }

  static let all: [Operation] = bank + docs + mobile + mfp + field

  private static let bank = [
    list("bank", "/banks", "/obp/v5.1.0/banks"),
    Operation("bank", "item", .reads, "GET", "/account") { service, bench throws(ServiceError) in
      _ = try await service.item(bench.account)
    },
    call("bank", "download", .streams, "GET", "/banks"),
    Operation("bank", "payment", .writes, "POST", "/transaction-request") { service, bench throws(ServiceError) in
      _ = try await service.perform("pay", at: bench.account, fields: bench.payment)
    },
    signIn("bank"),
  ]

  private static let docs = [
    list("docs", "/files", "/children"),
    item("docs", "/files/Shared", "relativePath=Shared"),
    download("docs", "/files/Shared/kept.txt", "/content"),
    upload("docs", "/files/Shared", "/children"),
    signIn("docs"),
  ]

  private static let mobile = [
    list("mobile", "/storage", "/collections"),
    item("mobile", "/storage/Empty", "/collections/Empty"),
    download("mobile", "/storage/Empty/kept.txt", "/objects/kept.txt"),
    upload("mobile", "/storage/Empty", "/objects"),
    signIn("mobile"),
  ]

  private static let mfp = [
    item("mfp", "/resources/My resource", "/MyProtectedProcedure", .anything),
    download("mfp", "/resources/My resource", "/MyProtectedProcedure"),
    call("mfp", "upload", .writes, "POST", "/MyResource/MyProtectedProcedure"),
    signIn("mfp"),
  ]

  private static let field = [
    list("field", "/live/Customers", "/Customers"),
    item("field", "/live/Customers/101", "/Customers(101)"),
    call("field", "download", .streams, "GET", "/SUP101/Customers"),
    call("field", "upload", .writes, "POST", "/SUP101/Customers"),
    signIn("field"),
  ]
}

extension Operation {
  private static func at(_ connection: String, _ path: String) throws(ServiceError) -> Location {
    do { return try Location(parsing: "\(connection):\(path)") } catch {
      throw ServiceError(.usage, "read the location", detail: error.description)
    }
  }

  private static func list(_ connection: String, _ path: String, _ mark: String) -> Operation {
    Operation(connection, "list", .reads, "GET", mark) { service, _ throws(ServiceError) in
      _ = try await service.list(at(connection, path))
    }
  }

  private static func item(
    _ connection: String, _ path: String, _ mark: String, _ sort: Sort = .reads
  ) -> Operation {
    Operation(connection, "item", sort, "GET", mark) { service, _ throws(ServiceError) in
      _ = try await service.item(at(connection, path))
    }
  }

  private static func download(_ connection: String, _ path: String, _ mark: String) -> Operation {
    Operation(connection, "download", .streams, "GET", mark) { service, _ throws(ServiceError) in
      _ = try await service.download(at(connection, path), to: Drain())
    }
  }

  private static func upload(_ connection: String, _ path: String, _ mark: String) -> Operation {
    Operation(connection, "upload", .writes, "POST", mark) { service, bench throws(ServiceError) in
      let request = UploadRequest(
        MemorySource(Array("some text".utf8)), name: bench.freshName(), mediaType: "text/plain", keepsBoth: true)
      _ = try await service.upload(request, to: at(connection, path))
    }
  }

  /// A raw request, where the kind offers nothing nearer.
  private static func call(
    _ connection: String, _ name: String, _ sort: Sort, _ method: String, _ path: String
  ) -> Operation {
    Operation(connection, name, sort, method, path) { service, _ throws(ServiceError) in
      var call = RawCall(method, path)
      if method == "POST" {
        call.headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
        call.body = MemorySource(Array(#"{"fname":"Some","lname":"Body"}"#.utf8))
      }
      let reply = try await service.call(connection, call, to: Drain())
      // The command's own reading of the status.
      guard call.accepts(reply.status) else {
        throw ServiceError(ServiceError.Code(status: reply.status), "call", status: reply.status)
      }
    }
  }

  private static func signIn(_ connection: String) -> Operation {
    var operation = Operation(connection, "sign-in", .signsIn, "", "") { service, _ throws(ServiceError) in
      _ = try await service.signIn(connection)
    }
    operation.prepare = { try? await $0.signOut(connection) }
    return operation
  }
}
