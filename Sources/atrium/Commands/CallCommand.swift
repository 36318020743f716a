import Model
import Service
import Store
import Wire

enum CallCommand {
  static let command = Command(
    "call", ["CONNECTION METHOD PATH"], "send a request by hand, with the connection's address and authorisation",
    details: [
      "The body of the answer goes to standard output, whatever its status.",
      "PATH is appended to the connection's address.",
    ],
    options: [
      Option("data", value: "TEXT|@FILE|@-", "the body to send"),
      Option("form", "the body is a form, not JSON"),
      Option("header", value: "'K: V'", repeatable: true, "send this header, too"),
      Option("expect", value: "201,212", "statuses that count as done; any 2xx unless told"),
      Option("public", "send no authorisation"),
      Option("include", "print the status line and the headers first"),
    ],
    arguments: 3...3, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let call = try call(session)
    let connection = try session.connectionName(session.arguments[0])
    let service = try session.service()
    let operation = "call \(call.method) \(call.path)"
    let reply: RawReply
    if session.invocation.has("include") {
      let spool = try SpoolSink(operation)
      reply = try await service.call(connection, call, to: spool)
      try printHead(reply, session)
      try spool.copy(to: session.output)
    } else {
      let sink = OutputSink(session.output)
      reply = try await service.call(connection, call, to: sink)
      try sink.finish()
    }
    guard call.accepts(reply.status) else { throw refusal(reply, operation) }
    return ExitStatus.done
  }

  private static func refusal(_ reply: RawReply, _ operation: String) -> ServiceError {
    var detail = "the server answered \(reply.status)"
    if let wait = reply.headers.first(where: { $0.name.lowercased() == "retry-after" })?.value {
      detail += Int(wait) == nil ? " and asks to wait until \(wait)" : " and asks to wait for \(wait) s"
    }
    return ServiceError(
      ServiceError.Code(status: reply.status), operation, detail: detail,
      remedy: "Read the answer; --expect \(reply.status) takes it as done.", status: reply.status,
      serverCode: reply.serverCode)
  }

  private static func call(_ session: Session) throws(ServiceError) -> RawCall {
    let invocation = session.invocation
    let method = session.arguments[1].uppercased()
    guard !method.isEmpty, method.utf8.allSatisfy({ (65...90).contains($0) || $0 == 45 }) else {
      throw .usage("“\(session.arguments[1])” is no HTTP method", invocation.command)
    }
    var call = RawCall(method, session.arguments[2])
    for header in invocation.all("header") {
      guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
        throw .usage("--header takes 'NAME: VALUE'", invocation.command)
      }
      let value = header[header.index(after: colon)...].drop { $0 == " " }
      call.headers.append((String(header[..<colon]), String(value)))
    }
    if let data = invocation.value("data") {
      call.body = try body(data)
      if !call.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
        call.headers.append(
          ("Content-Type", invocation.has("form") ? "application/x-www-form-urlencoded" : "application/json"))
      }
    }
    if let expected = invocation.value("expect") {
      var statuses = Set<Int>()
      for part in expected.split(separator: ",") {
        guard let status = Int(part), (100...599).contains(status) else {
          throw .usage("--expect takes statuses such as 201,212, not “\(part)”", invocation.command)
        }
        statuses.insert(status)
      }
      call.expected = statuses
    }
    call.isPublic = invocation.has("public")
    return call
  }

  private static func body(_ data: String) throws(ServiceError) -> any ByteSource {
    guard data.hasPrefix("@") else { return MemorySource(Array(data.utf8)) }
    do throws(FileError) {
      return try data == "@-" ? FileSource(spooling: 0, named: "standard input") : FileSource(String(data.dropFirst()))
    } catch {
      throw error.serviceError("read the data to send")
    }
  }

  private static func printHead(_ reply: RawReply, _ session: Session) throws(ServiceError) {
    let isTerminal = session.output.isTerminal
    try session.output.write("\(reply.version) \(reply.status)\r\n")
    for header in reply.headers {
      let line = "\(header.name): \(header.value)"
      try session.output.write((isTerminal ? Visible.escaped(line) : line) + "\r\n")
    }
    try session.output.write("\r\n")
  }
}
