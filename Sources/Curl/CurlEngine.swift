internal import CCurl
import Glibc
import Synchronization

/// All transfers of the process, on one thread of their own; it sleeps while there are none.
///
/// libcurl is loaded, and the thread made, with the first transfer.
package final class CurlEngine: Sendable {
  package static let shared = CurlEngine()

  enum Command {
    case start(CurlTransfer)
    case resume(CurlTransfer)
    case cancel(CurlTransfer)
  }

  private struct Inbox {
    var commands: [Command] = []
    var isRunning = false
    var wake: Wake?
  }

  /// `@unchecked Sendable`: `curl_multi_wakeup` is the one call on a multi handle that any thread may make.
  struct Wake: @unchecked Sendable {
    let multi: UnsafeMutableRawPointer
    func callAsFunction() { ccurl_multi_wakeup(multi) }
  }

  private let inbox = Mutex(Inbox())

  package init() {}

  /// Begins a transfer; its handler hears the rest.
  package func start(_ transfer: CurlTransfer) { post(.start(transfer)) }

  /// Goes on with a transfer whose handler said `.pause`.
  package func resume(_ transfer: CurlTransfer) { post(.resume(transfer)) }

  /// Ends a transfer early; its handler still hears `finished`, with whatever came first.
  package func cancel(_ transfer: CurlTransfer) { post(.cancel(transfer)) }

  private func post(_ command: Command) {
    let (wake, isFirst) = inbox.withLock { inbox in
      inbox.commands.append(command)
      defer { inbox.isRunning = true }
      return (inbox.wake, !inbox.isRunning)
    }
    if isFirst { startThread() }
    wake?()
  }

  /// Hands the commands so far to the loop.
  func takeCommands() -> [Command] {
    inbox.withLock { inbox in
      defer { inbox.commands.removeAll(keepingCapacity: true) }
      return inbox.commands
    }
  }

  func publish(_ wake: Wake) { inbox.withLock { $0.wake = wake } }

  private func startThread() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    // Signals belong to the main thread; libcurl's own threads inherit this mask.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, &before)
    let failure = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        ccurl_name_thread("atrium-wire")
        let engine = Unmanaged<CurlEngine>.fromOpaque(context).takeRetainedValue()
        CurlLoop.run(for: engine)
        return nil
      }, context)
    pthread_sigmask(SIG_SETMASK, &before, nil)
    guard failure != 0 else {
      pthread_detach(thread)
      return
    }
    Unmanaged<CurlEngine>.fromOpaque(context).release()
    refuseAll(CurlFailure(.missingLibrary, "the system gave no thread"))
  }

  /// Ends everything that waits; the next transfer tries again.
  func refuseAll(_ failure: CurlFailure) {
    let waiting = inbox.withLock { inbox in
      defer {
        inbox.commands = []
        inbox.isRunning = false
      }
      return inbox.commands
    }
    for case .start(let transfer) in waiting { transfer.handler.finished(CurlOutcome(.failed(failure))) }
  }
}
