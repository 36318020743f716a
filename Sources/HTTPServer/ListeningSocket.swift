import Glibc

/// A bound and listening TCP socket, closed on exec; whoever takes `descriptor` closes it.
struct ListeningSocket {
  let descriptor: Int32
  let port: UInt16

  init(address: String, port: UInt16) throws(HTTPServerError) {
    let isIPv6 = address.contains(":")
    let descriptor = socket(
      isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      throw HTTPServerError(code: .noResources, address: address, port: port, systemError: errno)
    }
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    do throws(HTTPServerError) {
      self.port = try isIPv6 ? Self.bindIPv6(descriptor, address, port) : Self.bindIPv4(descriptor, address, port)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  private static func bindIPv4(_ socket: Int32, _ address: String, _ port: UInt16) throws(HTTPServerError) -> UInt16 {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    guard inet_pton(AF_INET, address, &name.sin_addr) == 1 else {
      throw HTTPServerError(code: .badAddress, address: address, port: port, systemError: 0)
    }
    let bound = bindAndListen(socket, &name)
    guard bound else { throw bindError(address, port) }
    return UInt16(bigEndian: name.sin_port)
  }

  private static func bindIPv6(_ socket: Int32, _ address: String, _ port: UInt16) throws(HTTPServerError) -> UInt16 {
    var name = sockaddr_in6()
    name.sin6_family = sa_family_t(AF_INET6)
    name.sin6_port = port.bigEndian
    guard inet_pton(AF_INET6, address, &name.sin6_addr) == 1 else {
      throw HTTPServerError(code: .badAddress, address: address, port: port, systemError: 0)
    }
    var yes: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let bound = bindAndListen(socket, &name)
    guard bound else { throw bindError(address, port) }
    return UInt16(bigEndian: name.sin6_port)
  }

  /// Binds to `name`, listens, and leaves the name that the socket really got in its place.
  private static func bindAndListen<Name>(_ socket: Int32, _ name: inout Name) -> Bool {
    var length = socklen_t(MemoryLayout<Name>.size)
    return withUnsafeMutableBytes(of: &name) { bytes in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
      return bind(socket, address, length) == 0 && listen(socket, 511) == 0
        && getsockname(socket, address, &length) == 0
    }
  }

  private static func bindError(_ address: String, _ port: UInt16) -> HTTPServerError {
    let number = errno
    let code: HTTPServerError.Code =
      switch number {
      case EADDRINUSE, EACCES: .portTaken
      case EADDRNOTAVAIL: .badAddress
      default: .noResources
      }
    return HTTPServerError(code: code, address: address, port: port, systemError: number)
  }
}
