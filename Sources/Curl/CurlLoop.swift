internal import CCurl

/// The engine's thread: drives libcurl's multi handle until the process ends.
struct CurlLoop {
  private let engine: CurlEngine
  private let multi: UnsafeMutableRawPointer
  private var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
  private var spareHandles: [UnsafeMutableRawPointer] = []

  private init?(engine: CurlEngine) {
    guard let multi = ccurl_multi_init() else { return nil }
    self.engine = engine
    self.multi = multi
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 128)
  }

  static func run(for engine: CurlEngine) {
    guard ccurl_load() == 0, ccurl_global_init() == CURLE_OK, var loop = CurlLoop(engine: engine) else {
      return engine.refuseAll(
        CurlFailure(.missingLibrary, "the library libcurl.so.4 is missing or unusable (install libcurl4)"))
    }
    engine.publish(CurlEngine.Wake(multi: loop.multi))
    while true { loop.turn() }
  }

  private mutating func turn() {
    // Silence is judged by the time before reading: bytes that came while others were served are still to be read.
    let now = MonotonicClock.now()
    for command in engine.takeCommands() { obey(command) }
    var running: Int32 = 0
    ccurl_multi_perform(multi, &running)
    finishDone()
    for transfer in active.values { transfer.handler.roundEnded() }
    ccurl_multi_poll(multi, finishSilent(now))
  }

  private mutating func obey(_ command: CurlEngine.Command) {
    switch command {
    case .start(let transfer):
      start(transfer)
    case .resume(let transfer):
      guard let handle = transfer.handle, transfer.isPaused else { return }
      transfer.isPaused = false
      transfer.noteActivity()
      ccurl_easy_pause(handle, ccurl_pause_none)
    case .cancel(let transfer):
      transfer.isCancelled = true
      if transfer.handle != nil { finish(transfer, .cancelled) }
    }
  }

  private mutating func start(_ transfer: CurlTransfer) {
    guard !transfer.isCancelled else { return transfer.handler.finished(CurlOutcome(.cancelled)) }
    guard let handle = spareHandles.popLast() ?? ccurl_easy_init() else {
      return transfer.handler.finished(CurlOutcome(.failed(CurlFailure(.badRequest, "libcurl gave no handle"))))
    }
    transfer.noteActivity()
    active[handle] = transfer
    if let failure = transfer.configure(handle) { return finish(transfer, .failed(failure)) }
    let code = ccurl_multi_add_handle(multi, handle)
    if code != CURLM_OK { finish(transfer, .failed(CurlFailure(.badRequest, "libcurl refused the transfer"))) }
  }

  private mutating func finishDone() {
    var code = CURLE_OK
    while let handle = ccurl_multi_next_done(multi, &code) {
      guard let transfer = active[handle] else { continue }
      if let reason = transfer.ownReason {
        finish(transfer, reason)
      } else if code == CURLE_OK {
        finish(transfer, .done)
      } else {
        finish(transfer, .failed(CurlFailure(code, text: transfer.errorMessage)))
      }
    }
  }

  /// Ends what has been silent for too long.
  ///
  /// - Returns: Milliseconds until the next one could be; for ever when nothing runs.
  private mutating func finishSilent(_ now: Int64) -> Int32 {
    guard !active.isEmpty else { return .max }
    var next = Int64.max
    for transfer in active.values where !transfer.isPaused {
      var left = transfer.lastActivity + transfer.silenceNanoseconds - now
      if left <= 0 { left = transfer.noteUnseenActivity() + transfer.silenceNanoseconds - now }
      if left <= 0 { finish(transfer, .silent) } else { next = min(next, left) }
    }
    return Int32(clamping: next / 1_000_000 + 1)
  }

  private mutating func finish(_ transfer: CurlTransfer, _ result: CurlOutcome.Result) {
    guard let handle = transfer.handle else { return }
    let outcome = CurlOutcome(result, info: transfer.collectInfo())
    ccurl_multi_remove_handle(multi, handle)
    active[handle] = nil
    transfer.handle = nil
    keepOrFree(handle, after: result)
    transfer.handler.finished(outcome)
  }

  /// A handle whose transfer was broken off keeps its buffers, and then refuses to be set up anew.
  private mutating func keepOrFree(_ handle: UnsafeMutableRawPointer, after result: CurlOutcome.Result) {
    guard case .done = result, spareHandles.count < 16 else { return ccurl_easy_cleanup(handle) }
    ccurl_easy_reset(handle)
    spareHandles.append(handle)
  }
}
