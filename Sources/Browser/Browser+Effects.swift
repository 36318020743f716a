import Model
import Screens

extension Browser {
  /// Does what screens asked for. Nothing here waits.
  func perform(_ effects: [Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .ask(let id, let request):
      pending[id] = port.start(request) { [weak self] reply in self?.post(.reply(id, reply)) }
    case .compute(let id, let work):
      pending[id] = Computation(work) { [weak self] reply in self?.post(.reply(id, reply)) }
    case .cancel(let id): pending.removeValue(forKey: id)?.cancel()
    case .order(let order): port.order(order)
    case .answer(let question, let answer): port.answer(question, answer)
    case .copy(let text, let name): copy(text, name: name)
    case .outside(let outside): open(outside)
    case .useTheme(let name): useTheme(name)
    case .useMouse(let isOn): terminal.setMouse(isOn)
    case .saveBookmarks(let bookmarks): port.keep(bookmarks: bookmarks)
    case .saveMemory(let memory): port.keep(memory: memory)
    case .startSandbox:
      say(.info, "Opening the sandbox…")
      port.startSandbox { [weak self] reply in
        switch reply {
        case .failure(let error): self?.post(.message(Message(.bad, error.message)))
        default: self?.post(.message(Message(.good, "The sandbox is open: choose a door")))
        }
        self?.post(.changed)
      }
    case .changeConnection(let change): apply(change)
    case .suspend: terminal.stop()
    case .repaint: repaint()
    case .quit: quit()
    // The app itself does the rest and hands none of it on.
    case .open, .replace, .push, .close, .present, .dismiss, .say, .run, .changed, .errand, .toggleBookmark, .remember,
      .arrange, .searched:
      break
    }
  }

  func say(_ kind: Message.Kind, _ text: String) { post(.message(Message(kind, text))) }

  private func apply(_ change: ConnectionChange) {
    do throws(ServiceError) {
      try port.change(change)
      takeChanges()
      switch change {
      // To open it is to test it: it signs in, asks the server, and says what fails.
      case .add: if let name = change.name { visit(Location(connection: name)) }
      case .edit(let name, _): say(.good, "Changed \(name)")
      case .remove(let name): say(.good, "Removed \(name)")
      }
    } catch {
      say(.bad, error.message)
    }
  }

  private func copy(_ text: String, name: String) {
    let isSent = terminal.copy(text)
    if let tool = programs.clip(text) {
      say(.good, "\(name): on the clipboard, by \(tool)" + (isSent ? " and the terminal" : ""))
    } else if isSent {
      say(.good, "\(name): sent to the terminal's clipboard")
    } else {
      say(.warning, "\(name): too long for the terminal's clipboard; o opens it in $PAGER instead")
    }
  }

  // MARK: Other programs

  private func open(_ outside: Outside) {
    switch outside {
    case .pager(let text, let name): lend(text, name) { self.programs.page(file: $0) }
    case .editor(let text, let name): lend(text, name) { self.programs.edit(file: $0) }
    case .url(let url):
      if let problem = programs.open(url) { say(.bad, problem) } else { say(.info, "Opened \(url)") }
    case .edit(let location, let name): edit(location, name: name)
    case .content(let location, let name):
      say(.info, "Fetching \(name)…")
      let request = Request.content(location, maxBytes: Browser.mostOpened)
      // Whoever leaves the screen still wants the document.
      _ = port.start(request) { [weak self] reply in self?.post(.contentToOpen(reply, name: name)) }
    }
  }

  /// Larger content is downloaded rather than opened.
  private static let mostOpened = 64 << 20

  func open(_ reply: Reply, name: String) {
    switch reply {
    case .content(_, _, isCut: true): say(.warning, "\(name) is too large to open from here: download it (d)")
    case .content(_, let bytes, _):
      guard let file = programs.temporaryFile(bytes, name: name) else {
        return say(.bad, "Could not write \(name) to a temporary file")
      }
      if let problem = programs.open(file) { say(.bad, problem) } else { say(.good, "Opened \(name)") }
    case .failure(let error): say(.bad, error.message)
    default: break
    }
  }

  private func lend(_ text: String, _ name: String, _ run: @escaping (String) -> String?) {
    guard let file = programs.temporaryFile(Array(text.utf8), name: name) else {
      return say(.bad, "Could not write \(name) to a temporary file")
    }
    var problem: String?
    terminal.lend { problem = run(file) }
    programs.remove(file)
    if let problem { say(.bad, problem) }
  }
}
