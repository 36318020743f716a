import Model

/// Runs jobs, a few at a time, and knows how far each is. What it reports changes on the main actor only.
@MainActor
package final class JobCenter {
  /// What a job does. It may be called again after a pause or a failure and then goes on where it can.
  typealias Work = @Sendable (JobControl) async throws(ServiceError) -> Job.Result

  private struct Running {
    let work: Work
    let control: JobControl
    var meter = RateMeter()
    var task: Task<Void, Never>?
    var isPausing = false
    var waiters: [CheckedContinuation<Job, Never>] = []
  }

  package private(set) var jobs: [Job] = []
  /// Called after each change of a job.
  package var onChange: ((Job) -> Void)?
  private var running: [Int: Running] = [:]
  private var lastID = 0
  private let maxRunning: Int

  package nonisolated init(maxRunning: Int = 4) { self.maxRunning = maxRunning }

  /// Jobs that are not over.
  package var activeCount: Int { jobs.count { $0.isActive } }

  package func job(_ id: Int) -> Job? { jobs.first { $0.id == id } }

  func add(_ kind: Job.Kind, _ title: String, _ location: Location, _ work: @escaping Work) -> Int {
    lastID += 1
    let id = lastID
    jobs.append(Job(id: id, kind: kind, title: title, location: location))
    let control = JobControl(
      ProgressRelay { [weak self] done, total in self?.note(id, done, total) },
      retitle: { [weak self] title in self?.update(id) { $0.title = title } })
    running[id] = Running(work: work, control: control)
    changed(id)
    startWaiting()
    return id
  }

  /// Ends a job; a partial file stays and can be continued by the same download later.
  package func cancel(_ id: Int) {
    guard let job = job(id), job.isActive else { return }
    running[id]?.isPausing = false
    if let task = running[id]?.task {
      running[id]?.control.gate.open()
      task.cancel()
    } else {
      finish(id, .cancelled)
    }
  }

  /// Holds a job up: a download leaves the wire and keeps what it has; loading and exports stop after the page at hand.
  package func pause(_ id: Int) {
    guard let job = job(id), job.canPause, case .running = job.state else { return }
    running[id]?.isPausing = true
    if job.kind == .download {
      running[id]?.task?.cancel()
    } else {
      running[id]?.control.gate.close()
      update(id) { $0.state = .paused }
    }
  }

  package func resume(_ id: Int) {
    guard let job = job(id), case .paused = job.state else { return }
    running[id]?.isPausing = false
    if running[id]?.task != nil {
      running[id]?.control.gate.open()
      update(id) { $0.state = .running }
    } else {
      update(id) { $0.state = .waiting }
      startWaiting()
    }
  }

  /// Starts a job that failed or was cancelled once more.
  package func retry(_ id: Int) {
    guard let job = job(id), !job.isActive, running[id] != nil else { return }
    if case .done = job.state { return }
    update(id) { $0.state = .waiting }
    startWaiting()
  }

  /// Takes jobs that are over off the list.
  package func forgetFinished() {
    for job in jobs where !job.isActive { running[job.id] = nil }
    jobs.removeAll { !$0.isActive }
  }

  /// Waits until the job is over.
  package func end(of id: Int) async -> Job? {
    guard let job = job(id), job.isActive else { return job(id) }
    return await withCheckedContinuation { running[id]?.waiters.append($0) }
  }

  private func startWaiting() {
    var free = maxRunning - jobs.count { if case .running = $0.state { true } else { false } }
    for job in jobs {
      guard free > 0 else { return }
      guard case .waiting = job.state else { continue }
      start(job.id)
      free -= 1
    }
  }

  private func start(_ id: Int) {
    guard let work = running[id]?.work, let control = running[id]?.control else { return }
    running[id]?.meter = RateMeter()
    update(id) { $0.state = .running }
    running[id]?.task = Task { @MainActor [weak self] in
      let state: Job.State
      do throws(ServiceError) {
        state = .done(try await work(control))
      } catch {
        state = error.code == .cancelled ? .cancelled : .failed(error)
      }
      self?.ended(id, state)
    }
  }

  private func ended(_ id: Int, _ state: Job.State) {
    running[id]?.task = nil
    if running[id]?.isPausing == true, case .cancelled = state {
      update(id) { $0.state = .paused }
    } else {
      finish(id, state)
    }
    startWaiting()
  }

  private func finish(_ id: Int, _ state: Job.State) {
    update(id) {
      $0.state = state
      $0.timeLeft = nil
      if case .done = state, let total = $0.total { $0.done = total }
    }
    guard let job = job(id) else { return }
    let waiters = running[id]?.waiters ?? []
    running[id]?.waiters = []
    for waiter in waiters { waiter.resume(returning: job) }
  }

  private func note(_ id: Int, _ done: Int64, _ total: Int64?) {
    guard job(id)?.isActive == true else { return }
    running[id]?.meter.note(done, at: .now)
    let meter = running[id]?.meter
    update(id) {
      $0.done = done
      $0.total = total ?? $0.total
      $0.rate = meter?.rate
      $0.timeLeft = meter?.timeLeft(to: $0.total)
    }
  }

  private func update(_ id: Int, _ change: (inout Job) -> Void) {
    guard let index = jobs.firstIndex(where: { $0.id == id }) else { return }
    change(&jobs[index])
    changed(id)
  }

  private func changed(_ id: Int) {
    if let job = job(id) { onChange?(job) }
  }
}

/// What a job's work reports to and is held up by.
package struct JobControl: Sendable {
  let gate = PauseGate()
  private let relay: ProgressRelay
  private let setTitle: @MainActor @Sendable (String) -> Void

  init(_ relay: ProgressRelay, retitle: @escaping @MainActor @Sendable (String) -> Void) {
    self.relay = relay
    setTitle = retitle
  }

  var progress: Progress { { [relay] done, total in relay.note(done, total) } }

  func retitle(_ title: String) async { await setTitle(title) }
}
