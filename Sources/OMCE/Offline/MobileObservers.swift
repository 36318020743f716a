import Synchronization

/// Who wants to know when an edit was sent, and when something kept has changed.
final class MobileObservers: Sendable {
  typealias Observer = @MainActor @Sendable (_ path: String) -> Void

  private let state = Mutex<(sent: Observer?, changed: Observer?)>((nil, nil))

  func observe(sent observer: Observer?) { state.withLock { $0.sent = observer } }
  func observe(changes observer: Observer?) { state.withLock { $0.changed = observer } }

  func tell(sent edit: MobileEdit) { tell(state.withLock { $0.sent }, edit.target.serverPath) }
  func tell(changed path: String) { tell(state.withLock { $0.changed }, path) }

  private func tell(_ observer: Observer?, _ path: String) {
    guard let observer else { return }
    Task { @MainActor in observer(path) }
  }
}
