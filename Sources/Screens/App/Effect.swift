import Model

/// Names one request of one screen or dialog, so that its answer finds the way back and a late one is known as late.
package struct RequestID: Sendable, Hashable {
  package let owner: Int
  package let serial: Int
  package init(owner: Int, serial: Int) {
    self.owner = owner
    self.serial = serial
  }
}

/// What a screen wants to know or have done by the back ends.
package enum Request: Sendable {
  case nature(Location)
  /// `isRefresh` asks the server whatever is cached.
  case list(Location, ListQuery, isRefresh: Bool)
  case item(Location, isRefresh: Bool)
  case charts(Location)
  /// What a listing can be exported to beside CSV and JSON.
  case exportFormats(Location)
  case search(connection: String, SearchRequest)
  case perform(action: String, Location, fields: [String: Secret])
  /// The same for each of several things.
  case performAll(action: String, [Location], fields: [String: Secret])
  /// Takes back what an action did, step by step.
  case undo([Undo])
  case delete([Location])
  /// At most so many bytes, for the viewer.
  case content(Location, maxBytes: Int)
  /// Content as text or block graphics, by a program of this machine.
  case convert([UInt8], Conversion)
  /// Holds a file against others and fetches it.
  case checkOut(Location, maxBytes: Int)
  /// Stores it as a version, unless nothing changed, and lets it go.
  case checkIn(Location, bytes: [UInt8]?, before: ContentHead)
  case signIn(connection: String)
  case signOut(connection: String)
  /// What can be done with a connection at all.
  case capabilities(connection: String)
  case vault(VaultOrder)
  /// All exchanges, without bodies.
  case exchanges
  case exchange(id: Int)
  /// A request written by hand; its answer stands in the log.
  case call(connection: String, RawCall)
  /// Which kinds of back end answer at an address.
  case probe(String)
  /// Writes exchanges as an HTTP archive.
  case saveExchanges([Int], name: String)
}

/// What a program of this machine makes of some content.
package enum Conversion: Sendable, Hashable {
  /// The words of a PDF.
  case pdfText
  /// A picture, at most so many columns and rows large.
  case picture(Size, PictureForm)
}

/// What a picture is made of.
package enum PictureForm: Sendable, Hashable {
  /// Block characters in so many colours; 0 draws without.
  case blocks(colors: Int)
  case graphics(Graphic.Canvas)
}

/// What came back.
package enum Reply: Sendable {
  /// Not final: the cached page, to be replaced by the server's.
  case listing(Listing, isFinal: Bool)
  case item(Item, isFinal: Bool)
  case nature(LocationNature)
  case charts([Chart])
  case exportFormats([ExportFormat])
  case outcome(ActionOutcome)
  case content(ContentHead, [UInt8], isCut: Bool)
  case converted(String)
  case signIn(SignInState)
  case capabilities(Capabilities)
  case vault(VaultInfo)
  case done
  case exchanges([ExchangeInfo])
  case exchange(ExchangeInfo?)
  /// Number in the log, where it is known.
  case called(exchange: Int?)
  case probed([ProbeInfo])
  case sorted(SortedRows)
  case failure(ServiceError)
}

/// Work that goes on when its screen is left.
package enum JobOrder: Sendable, Hashable {
  case download(Location, name: String)
  /// A file, or a directory with all that is in it.
  case upload(path: String, Location)
  /// Containers with all below them, and single things, file by file.
  case downloadTree([Branch], name: String)
  /// The same as one archive, made by the server.
  case downloadArchive([Location], name: String)
  case pause(Int), resume(Int), cancel(Int)
  /// Sends what waits and fetches what has changed.
  case synchronize(connection: String)
  /// Drops those that are over from the list.
  case clear
  /// Writes all rows of a listing into a file: `csv`, `json`, or a format of the kind.
  case export(Location, ListQuery, format: String, name: String)
}

/// One thing of many to download.
package struct Branch: Sendable, Hashable {
  package let location: Location
  package let name: String
  package let isContainer: Bool
  package init(_ location: Location, name: String, isContainer: Bool) {
    self.location = location
    self.name = name
    self.isContainer = isContainer
  }
}

/// What is opened outside the program.
package enum Outside: Sendable, Hashable {
  case pager(text: String, name: String)
  case editor(text: String, name: String)
  case url(String)
  /// Fetched first, then given to xdg-open.
  case content(Location, name: String)
  /// Locked, fetched, edited in $EDITOR, stored as a version, unlocked.
  case edit(Location, name: String)
}

/// A message to the person: shown for a while, kept in the messages screen. It never takes a key.
package struct Message: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case info, good, warning, bad }
  package var kind: Kind
  package var text: String
  package var time: Timestamp

  package init(_ kind: Kind, _ text: String, time: Timestamp = Timestamp(milliseconds: 0)) {
    self.kind = kind
    self.text = text
    self.time = time
  }

  /// How long it stays in view.
  package var milliseconds: Int64 { kind == .bad || kind == .warning ? 8000 : 4000 }
}

/// What handling an event leads to. The app does the first part itself, the browser the second.
package enum Effect: Sendable {
  // Done by the app.
  case open(Location, Row.Opening?)
  /// Puts another screen in place of this one.
  case replace(any Screen)
  case push(any Screen)
  /// Closes this screen.
  case close
  case present(any Overlay)
  /// Closes the overlay.
  case dismiss
  case say(Message)
  case run(Command)
  /// Something changed at a place: screens that show it or its parent load again.
  case changed(Location)
  /// A change somebody asked for: its end is told in a message, and what shows the place loads again.
  case errand(Request, at: Location, doing: String)
  case toggleBookmark(Location)
  case remember(String)
  /// Arranges the columns of this kind of list; nil as they come by themselves.
  case arrange(key: String, ColumnArrangement?)

  // Done by the browser.
  case ask(RequestID, Request)
  /// Work that would hold up keys; done elsewhere, and answered like a request.
  case compute(RequestID, @Sendable () -> Reply)
  case cancel(RequestID)
  case order(JobOrder)
  case answer(question: Int, Answer?)
  case copy(String, name: String)
  case outside(Outside)
  case useTheme(String)
  case useMouse(Bool)
  case saveBookmarks([Location])
  case saveMemory(Memory)
  /// A search that was made, for the history.
  case searched(Location)
  case startSandbox
  case changeConnection(ConnectionChange)
  case suspend, repaint, quit
}

/// What reaches a screen.
package enum ScreenEvent: Sendable {
  /// It came to the top: the first time it loads.
  case appeared
  case command(Command, times: Int)
  /// A key while the screen `takesText`.
  case key(Key)
  case paste(String)
  /// In cells of the screen's area.
  case mouse(Mouse)
  case reply(serial: Int, Reply)
  case arranged(ColumnArrangement?)
  /// A time it waited for has come.
  case deadline
  /// The size of the screen changed.
  case resized
}
