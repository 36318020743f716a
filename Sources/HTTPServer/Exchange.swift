internal import CMicrohttpd

/// One request on its way through MHD's callbacks; lives on its connection's thread.
final class Exchange {
  private enum Phase { case headers, body, answered }

  private let target: String
  private var phase = Phase.headers
  private var headers: [ServerRequest.Field] = []
  private var spool: RequestSpool
  private var refusal: ServerResponse?

  private init(target: String, maxBodyBytes: Int) {
    self.target = target
    spool = RequestSpool(maxBytes: maxBodyBytes)
  }

  deinit { spool.discard() }

  /// The raw target is seen only here; what is returned comes back as the request's own context.
  static let seen: cmicrohttpd_uri_callback = { context, uri, _ in
    guard let context, let uri else { return nil }
    let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
    let exchange = Exchange(target: String(cString: uri), maxBodyBytes: server.maxBodyBytes)
    return Unmanaged.passRetained(exchange).toOpaque()
  }

  static let completed: MHD_RequestCompletedCallback = { _, _, request, _ in
    guard let exchange = request?.pointee else { return }
    Unmanaged<Exchange>.fromOpaque(exchange).release()
    request?.pointee = nil
  }

  /// Called with the headers, then for each piece of the body, then once more for the answer.
  static let handle: MHD_AccessHandlerCallback = { context, connection, _, method, _, data, size, request in
    guard let context, let connection, let method, let size, let raw = request?.pointee else { return .NO }
    let server = Unmanaged<ServerContext>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue()
    switch exchange.phase {
    case .headers:
      return exchange.begin(connection, maxBodyBytes: server.maxBodyBytes)
    case .body where size.pointee > 0:
      let accepted = exchange.accept(UnsafeRawBufferPointer(start: data, count: size.pointee))
      size.pointee = 0
      return accepted
    case .body:
      return exchange.answer(connection, method: String(cString: method), handler: server.handler)
    case .answered:
      return .NO
    }
  }

  private func begin(_ connection: OpaquePointer, maxBodyBytes: Int) -> MHD_Result {
    phase = .body
    headers = Self.readHeaders(connection)
    let announced = headers.first { $0.name.lowercased() == "content-length" }.flatMap { Int($0.value) } ?? 0
    guard announced > maxBodyBytes else { return .YES }
    phase = .answered
    return ResponseWriter.queue(Self.tooLarge, on: connection)
  }

  /// Keeps a piece of the body; MHD takes no answer before the upload ends, so a chunked one that grows past the limit
  /// is read and dropped for a while, then broken off.
  private func accept(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
    guard refusal == nil else {
      refusedBytes += bytes.count
      return refusedBytes > 64 << 20 ? .NO : .YES
    }
    do throws(RequestSpool.Failure) {
      try spool.append(bytes)
    } catch {
      refuse(error)
    }
    return .YES
  }

  private var refusedBytes = 0

  private func refuse(_ failure: RequestSpool.Failure) {
    spool.discard()
    refusal =
      switch failure {
      case .tooLarge: Self.tooLarge
      case .storage: .text(507, "no room to keep the upload")
      }
  }

  private func answer(_ connection: OpaquePointer, method: String, handler: HTTPServer.Handler) -> MHD_Result {
    phase = .answered
    if let refusal { return ResponseWriter.queue(refusal, on: connection) }
    do throws(RequestSpool.Failure) {
      let request = ServerRequest(method: method, target: target, headers: headers, body: try spool.finish())
      return ResponseWriter.queue(handler(request), on: connection)
    } catch {
      refuse(error)
      return ResponseWriter.queue(refusal ?? .hangUp, on: connection)
    }
  }

  private static let tooLarge = ServerResponse.text(413, "the upload is too large")

  private static func readHeaders(_ connection: OpaquePointer) -> [ServerRequest.Field] {
    final class Collector { var fields: [ServerRequest.Field] = [] }
    let collector = Collector()
    cmicrohttpd_connection_values(
      connection, .HEADER_KIND,
      { context, _, name, value in
        guard let context, let name else { return .YES }
        let collector = Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
        collector.fields.append((String(cString: name), value.map { String(cString: $0) } ?? ""))
        return .YES
      }, Unmanaged.passUnretained(collector).toOpaque())
    return collector.fields
  }
}
