import JSON
import SQLite

/// Small things that belong to the store as a whole, each under a name of this program's own.
extension OfflineStore {
  package func fact(_ name: String) throws(OfflineError) -> JSONNode? {
    try running {
      let sealed = try self.database.value("SELECT sealed FROM facts WHERE name = ?", .text(name)).blob
      return try sealed.map { sealed in
        let plain = try self.opened(sealed, Place.fact(name).binding)
        guard let root = (try? JSONDocument(plain))?.root else { throw self.damaged("a fact cannot be read") }
        return root.node()
      }
    }
  }

  /// Keeps a fact, or forgets it; it is on the disk when this returns.
  package func keep(_ fact: JSONNode?, named name: String) throws(OfflineError) {
    try transaction {
      guard let fact else {
        return _ = try self.database.execute("DELETE FROM facts WHERE name = ?", .text(name))
      }
      let sealed = try self.sealed(fact.encoded(), Place.fact(name).binding)
      try self.database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", .text(name), .blob(sealed))
    }
  }

  /// A digest under the store's own key: tells whether words are the same without keeping them.
  package func digest(_ words: String...) -> [UInt8] { tag(words.joined(separator: "\0")) }

  /// The next synchronisation reads the whole set again.
  package func forgetDelta(of name: String) throws(OfflineError) {
    try transaction {
      guard var set = try self.set(named: name), set.deltaLink != nil else { return }
      set.deltaLink = nil
      try self.write(set)
    }
  }

  /// Removes every row, and every edit as well unless they are to stay.
  package func clean(keepingEdits: Bool) throws(OfflineError) {
    try transaction {
      try self.database.execute("DELETE FROM rows")
      if !keepingEdits { try self.database.execute("DELETE FROM pending") }
      for (set, _) in try self.sets() {
        var set = set
        (set.deltaLink, set.synced) = (nil, nil)
        try self.write(set)
      }
    }
  }
}
