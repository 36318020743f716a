import Model

/// One request and its answer, as the exchange log shows it; secrets were taken out where it was recorded.
package struct ExchangeInfo: Sendable, Hashable, Identifiable {
  /// Milliseconds of each phase, in the order they happen.
  package struct Phase: Sendable, Hashable {
    package let name: String
    package let milliseconds: Double
    package init(_ name: String, _ milliseconds: Double) {
      self.name = name
      self.milliseconds = milliseconds
    }
  }

  package struct Header: Sendable, Hashable {
    package let name: String
    package let value: String
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package var id: Int
  package var connection: String
  package var started: Timestamp
  package var method: String
  package var url: String
  /// Nil while it runs or when no answer came.
  package var status: Int?
  package var failure: String?
  package var version: String
  package var bytes: Int64?
  package var phases: [Phase]
  package var requestHeaders: [Header]
  package var responseHeaders: [Header]
  package var requestBody: [UInt8]
  package var responseBody: [UInt8]
  package var isBodyCut: Bool
  /// The same request as a curl command, without secrets.
  package var curl: String

  package init(
    id: Int, connection: String, started: Timestamp, method: String, url: String, status: Int? = nil,
    failure: String? = nil, version: String = "", bytes: Int64? = nil, phases: [Phase] = [],
    requestHeaders: [Header] = [], responseHeaders: [Header] = [], requestBody: [UInt8] = [],
    responseBody: [UInt8] = [], isBodyCut: Bool = false, curl: String = ""
  ) {
    self.id = id
    self.connection = connection
    self.started = started
    self.method = method
    self.url = url
    self.status = status
    self.failure = failure
    self.version = version
    self.bytes = bytes
    self.phases = phases
    self.requestHeaders = requestHeaders
    self.responseHeaders = responseHeaders
    self.requestBody = requestBody
    self.responseBody = responseBody
    self.isBodyCut = isBodyCut
    self.curl = curl
  }

  package var milliseconds: Double { phases.reduce(0) { $0 + $1.milliseconds } }
  package var isRunning: Bool { status == nil && failure == nil }
}
