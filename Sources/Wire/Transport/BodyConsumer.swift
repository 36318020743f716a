import Model

/// The far end of a streamed body: asks what to do with it and hands the bytes over.
///
/// `@unchecked Sendable`: used on its delivery's serial queue only.
final class BodyConsumer: @unchecked Sendable {
  private let sink: any ByteSink
  private let headHandler: HeadHandler
  private let progress: Progress
  private let maxBytes: Int
  /// Answers that are not for the sink whatever the handler would say: redirects that will be followed.
  private let isForUs: @Sendable (HTTPResponse) -> Bool

  private(set) var failure: TransportError?
  /// What was collected because the handler wanted no stream.
  private(set) var collected: [UInt8] = []
  private(set) var isStreaming = false
  /// The beginning of what went to the sink, for the log.
  private(set) var captured: [UInt8] = []
  /// Bytes that went to the sink.
  private(set) var size: Int64 = 0
  private let captureLimit: Int
  private var done: Int64 = 0
  private var total: Int64?

  init(
    _ sink: any ByteSink, maxBytes: Int, capturing captureLimit: Int,
    isForUs: @escaping @Sendable (HTTPResponse) -> Bool,
    head: @escaping HeadHandler, progress: @escaping Progress
  ) {
    self.sink = sink
    self.maxBytes = maxBytes
    self.captureLimit = captureLimit
    self.isForUs = isForUs
    self.headHandler = head
    self.progress = progress
  }

  func begin(_ response: HTTPResponse) {
    guard failure == nil, !isForUs(response) else { return }
    do {
      guard let head = try headHandler(response) else { return }
      isStreaming = true
      done = response.contentRange?.offset ?? 0
      total = response.contentRange.map(\.total) ?? response.headers.contentLength
      try sink.begin(head, at: done)
      progress(done, total)
    } catch {
      failure = TransportError(.interrupted, "the bytes could not be taken", cause: error)
    }
  }

  func write(_ chunk: [UInt8]) {
    guard failure == nil else { return }
    guard isStreaming else {
      guard collected.count + chunk.count <= maxBytes else {
        failure = TransportError(.tooLarge, "it is larger than \(maxBytes) bytes")
        return
      }
      return collected += chunk
    }
    do {
      try chunk.withUnsafeBytes { try sink.write($0) }
      if captured.count < captureLimit { captured += chunk.prefix(captureLimit - captured.count) }
      size += Int64(chunk.count)
      done += Int64(chunk.count)
      progress(done, total)
    } catch {
      failure = TransportError(.interrupted, "the bytes could not be kept", cause: error)
    }
  }
}
