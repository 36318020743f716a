import Model
import Screens

/// A file edited in `$EDITOR`: held against others, fetched, changed, stored as a version, let go.
extension Browser {
  /// Larger files are downloaded, changed and uploaded.
  private static let mostEdited = 16 << 20

  func edit(_ location: Location, name: String) {
    app.say(Message(.info, "Fetching \(name) to edit it…"), now)
    _ = port.start(.checkOut(location, maxBytes: Browser.mostEdited)) { [weak self] reply in
      self?.post(.fileToEdit(reply, location, name: name))
    }
  }

  /// The editor has the terminal until it ends; what was changed is then on its way.
  func edit(_ reply: Reply, _ location: Location, name: String) {
    guard case .content(let head, let bytes, _) = reply else {
      if case .failure(let error) = reply { say(.bad, error.message) }
      return
    }
    guard let file = programs.temporaryFile(bytes, name: name) else {
      _ = port.start(.checkIn(location, bytes: nil, before: head)) { _ in }
      return say(.bad, "Could not write \(name) to a temporary file")
    }
    var problem: String?
    terminal.lend { problem = programs.edit(file: file) }
    let edited = problem == nil ? programs.content(of: file) : nil
    let changed = edited.flatMap { $0 == bytes ? nil : $0 }
    if let problem { say(.bad, problem) }
    _ = port.start(.checkIn(location, bytes: changed, before: head)) { [weak self] reply in
      self?.post(.fileEdited(reply, location, file: changed == nil ? nil : file))
    }
    if changed == nil { programs.remove(file) }
  }

  /// What could not be stored stays in its file, so that nobody writes it a second time.
  func edited(_ reply: Reply, _ location: Location, file: String?) {
    switch reply {
    case .outcome(let outcome):
      say(.good, outcome.message)
      if let file { programs.remove(file) }
      perform(app.changed(outcome.location ?? location, now))
    case .failure(let error):
      say(.bad, error.message + (file.map { " What you wrote is in \($0)." } ?? ""))
    default: break
    }
  }
}
