import Glibc

/// Why a server could not start.
package struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  package enum Code: Sendable, Equatable {
    /// The address is not one of this machine's, or is no IP address at all.
    case badAddress
    /// Another program listens on the port, or the port needs rights that this one lacks.
    case portTaken
    /// The system refused a socket or a thread.
    case noResources
    /// libmicrohttpd is not installed.
    case missingLibrary
  }

  package let code: Code
  package let address: String
  package let port: UInt16
  /// The system's own number, 0 where there was none.
  package let systemError: Int32

  package var description: String {
    switch code {
    case .badAddress: "cannot listen on \(address): it is not an address of this machine"
    case .portTaken: "cannot listen on port \(port) of \(address): \(reason)"
    case .missingLibrary: "cannot start a server: the library libmicrohttpd.so.12 is missing (install libmicrohttpd12)"
    case .noResources: "cannot start a server on \(address): \(reason)"
    }
  }

  private var reason: String {
    systemError == 0 ? "the system refused" : String(cString: strerror(systemError))
  }
}
