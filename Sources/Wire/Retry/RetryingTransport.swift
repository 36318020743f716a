public import Model
import Synchronization

/// Repeats harmless requests over another transport, as its policy says.
public struct RetryingTransport: Transport {
  private let inner: any Transport
  private let policy: RetryPolicy
  private let clock: any WallClock
  private let random: @Sendable () -> Double
  private let sleep: @Sendable (Duration) async throws -> Void

  /// - Parameters:
  ///   - random: A number from 0 up to 1, for the jitter.
  ///   - sleep: Waits; throws when cancelled.
  public init(
    _ inner: any Transport, policy: RetryPolicy = RetryPolicy(), clock: any WallClock,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.inner = inner
    self.policy = policy
    self.clock = clock
    self.random = random
    self.sleep = sleep
  }

  public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    guard policy.permits(request) else { return try answered(await inner.send(request)) }
    return try await repeating(request, mayRepeat: { true }) { attempt throws(TransportError) in
      try await inner.send(attempt == 0 ? request : request.onFreshConnection)
    }
  }

  /// Repeats only while the sink has seen nothing. A last answer that the caller wants whatever its status, it gets.
  public func download(
    _ request: HTTPRequest, to sink: any ByteSink, head: @escaping HeadHandler, progress: @escaping Progress
  ) async throws(TransportError) -> HTTPResponse {
    guard policy.permits(request) else {
      let isStreamed = Flag()
      let response = try await inner.download(
        request, to: sink,
        head: { response in
          let content = try head(response)
          if content != nil { isStreamed.set() }
          return content
        }, progress: progress)
      return isStreamed.isSet ? response : try answered(response)
    }
    let hasBegun = Flag()
    return try await repeating(request, mayRepeat: { !hasBegun.isSet }) { attempt throws(TransportError) in
      try await inner.download(
        attempt == 0 ? request : request.onFreshConnection, to: sink,
        head: { response in
          // An answer that will be asked for again is nobody's to keep.
          if case .wait = policy.decide(response, attempt: attempt, now: clock.now(), random: 0) { return nil }
          let content = try head(response)
          if content != nil { hasBegun.set() }
          return content
        }, progress: progress)
    }
  }

  private func repeating(
    _ request: HTTPRequest, mayRepeat: () -> Bool, _ attempt: (Int) async throws(TransportError) -> HTTPResponse
  ) async throws(TransportError) -> HTTPResponse {
    var number = 0
    while true {
      let result: Result<HTTPResponse, TransportError>
      do throws(TransportError) { result = .success(try await attempt(number)) } catch { result = .failure(error) }
      switch decide(result, attempt: number) {
      case .wait(let wait) where mayRepeat():
        do { try await sleep(wait) } catch { throw TransportError(.cancelled, "it was cancelled") }
        number += 1
        try request.body.rewind()
      case .busy where !mayRepeat():
        return try result.get()
      case .busy(let seconds):
        throw busy(seconds, try result.get())
      case .giveUp, .wait:
        return try result.get()
      }
    }
  }

  /// The answer to a request that goes out only once; one that asks for patience is told as such.
  private func answered(_ response: HTTPResponse) throws(TransportError) -> HTTPResponse {
    let seconds = policy.requestedWait(response, now: clock.now()) ?? 0
    guard seconds > policy.longestRequestedWait else { return response }
    throw busy(seconds, response)
  }

  private func busy(_ seconds: Int, _ response: HTTPResponse) -> TransportError {
    var error = TransportError(.busy(retryAfter: seconds), "it asks to wait for \(seconds) s")
    error.status = response.status
    error.exchange = response.exchange
    return error
  }

  private func decide(_ result: Result<HTTPResponse, TransportError>, attempt: Int) -> RetryPolicy.Decision {
    switch result {
    case .success(let response): policy.decide(response, attempt: attempt, now: clock.now(), random: random())
    case .failure(let error): policy.decide(error, attempt: attempt, random: random())
    }
  }
}

extension HTTPRequest {
  /// The same for another try: what broke off may have broken all connections that are kept.
  fileprivate var onFreshConnection: HTTPRequest {
    var request = self
    request.freshConnection = true
    return request
  }
}

/// Set once, from any thread.
private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
