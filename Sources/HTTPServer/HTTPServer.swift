internal import CMicrohttpd
import Synchronization

/// An HTTP/1.1 server on one address, with a thread for each connection.
///
/// The handler runs on the connection's own thread, so it may block or sleep. Request line and headers together are
/// bounded at 128 KiB (answered 431 or 414), connections at 1,024.
package final class HTTPServer: Sendable {
  package typealias Handler = @Sendable (ServerRequest) -> ServerResponse

  /// The port it listens on, the chosen one where 0 was asked for.
  package let port: UInt16
  package let address: String
  private let scheme: String
  private let daemon: Mutex<Daemon?>

  /// Starts to listen; clients can connect once this returns.
  ///
  /// - Parameters:
  ///   - port: 0 takes any free one.
  ///   - address: An IPv4 or IPv6 address of this machine.
  ///   - maxBodyBytes: A larger upload is answered 413.
  ///   - idleSeconds: A connection on which nothing moves for so long is closed; 0 keeps it.
  ///   - identity: Speaks TLS under this name; nil for plain HTTP.
  package init(
    port: UInt16 = 0, address: String = "127.0.0.1", maxBodyBytes: Int = 4 << 30, idleSeconds: Int = 120,
    identity: ServerIdentity? = nil, handler: @escaping Handler
  ) throws(HTTPServerError) {
    guard cmicrohttpd_load() == 0 else {
      throw HTTPServerError(code: .missingLibrary, address: address, port: port, systemError: 0)
    }
    let socket = try ListeningSocket(address: address, port: port)
    let context = ServerContext(maxBodyBytes: maxBodyBytes, handler: handler)
    guard let daemon = Daemon(socket: socket.descriptor, context: context, idleSeconds: idleSeconds, identity: identity)
    else {
      throw HTTPServerError(code: .noResources, address: address, port: port, systemError: 0)
    }
    self.port = socket.port
    self.address = address
    scheme = identity == nil ? "http" : "https"
    self.daemon = Mutex(daemon)
  }

  /// `http://127.0.0.1:8080`, without a slash at the end.
  package var origin: String {
    address.contains(":") ? "\(scheme)://[\(address)]:\(port)" : "\(scheme)://\(address):\(port)"
  }

  /// Closes every connection once its running handler has returned; never call it from a handler.
  package func stop() {
    let running = daemon.withLock { slot in
      defer { slot = nil }
      return slot
    }
    running?.stop()
  }

  deinit { stop() }
}

/// Who a server is to those who speak TLS with it.
package struct ServerIdentity: Sendable {
  /// PEM texts: the certificate with those that vouch for it, and its key.
  package let certificate: String
  package let key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }
}

/// What the C callbacks need to know of the server.
final class ServerContext: Sendable {
  let maxBodyBytes: Int
  let handler: HTTPServer.Handler

  init(maxBodyBytes: Int, handler: @escaping HTTPServer.Handler) {
    self.maxBodyBytes = maxBodyBytes
    self.handler = handler
  }
}

/// The running MHD daemon and the context it points to.
///
/// `@unchecked Sendable`: MHD's daemon may be stopped from any thread, and only the one that took it out of
/// `HTTPServer`'s lock does.
private struct Daemon: @unchecked Sendable {
  private let raw: OpaquePointer
  private let context: Unmanaged<ServerContext>

  init?(socket: Int32, context: ServerContext, idleSeconds: Int, identity: ServerIdentity?) {
    var flags =
      MHD_USE_THREAD_PER_CONNECTION.rawValue | MHD_USE_INTERNAL_POLLING_THREAD.rawValue | MHD_USE_POLL.rawValue
      | MHD_USE_ITC.rawValue
    if identity != nil { flags |= MHD_USE_TLS.rawValue }
    let retained = Unmanaged.passRetained(context)
    let raw = cmicrohttpd_start(
      flags, socket, Exchange.handle, Exchange.seen, Exchange.completed, retained.toOpaque(), 128 << 10, 8 << 10, 1024,
      UInt32(clamping: idleSeconds), 2 << 20, identity?.certificate, identity?.key)
    guard let raw else {
      retained.release()
      return nil
    }
    self.raw = raw
    self.context = retained
  }

  /// Waits for running handlers, closes the listening socket and all connections.
  func stop() {
    cmicrohttpd_stop(raw)
    context.release()
  }
}
