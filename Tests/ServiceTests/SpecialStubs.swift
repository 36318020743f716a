import Model
import Synchronization
import TestKit

/// A value that several closures share.
final class Shared<Value: Sendable>: Sendable {
  private let state: Mutex<Value>
  init(_ value: Value) { state = Mutex(value) }
  var value: Value { state.withLock { $0 } }
  func set(_ value: Value) { state.withLock { $0 = value } }
}

/// Everything is locked until somebody signs in; those who come too early wait for each other at the turnstile.
func lockedUntilSignedIn(_ turnstile: Turnstile) -> StubBackend {
  let isIn = Shared(false)
  return StubBackend { script in
    script.item = { location throws(ServiceError) in
      if isIn.value { return Item(location, title: "in", sections: []) }
      await turnstile.pass()
      throw ServiceError(.signInNeeded, "open it")
    }
    script.signIn = { _ throws(ServiceError) in
      isIn.set(true)
      return SignInState(isSignedIn: true, user: "susan")
    }
  }
}

/// Refuses the first upload for want of a sign-in, and notes what each one brought.
func uploads(notedIn received: Shared<[String]>) -> StubBackend {
  StubBackend { script in
    script.upload = { request, location throws(ServiceError) in
      var buffer = [UInt8](repeating: 0, count: 100)
      let count = (try? buffer.withUnsafeMutableBytes { try request.source.read(into: $0) }) ?? 0
      received.set(received.value + [String(decoding: buffer[..<count], as: UTF8.self)])
      if received.value.count == 1 { throw ServiceError(.signInNeeded, "upload") }
      return location
    }
  }
}
