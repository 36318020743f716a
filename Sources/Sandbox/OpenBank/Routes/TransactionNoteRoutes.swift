import JSON

/// Narrative, comments, tags, images and place of a transaction; reference obp.md, section 3.8.
extension OBPRoutes {
  private static let base = "/banks/BANK_ID/accounts/ACCOUNT_ID/VIEW_ID/transactions/TRANSACTION_ID/metadata"

  mutating func addTransactionNotes() {
    addNarrative()
    addNoteList("comments", \.comments, see: "can_see_comments", add: "can_add_comment", remove: "can_delete_comment")
    addNoteList("tags", \.tags, see: "can_see_tags", add: "can_add_tag", remove: "can_delete_tag")
    addImages()
    addPlace()
  }

  private mutating func note(
    _ method: String, _ path: String, _ permission: String, _ name: String,
    _ handler: @escaping @Sendable (OBPCall, NotedTransaction) throws(OBPError) -> OBPReply
  ) {
    let access = method == "GET" ? OBPRoute.Access.open : .user
    add(.v121, method, Self.base + path, access, isOld: false, name, name) { call throws(OBPError) in
      let viewed = try call.theViewedAccount()
      let transaction = try call.theTransaction(viewed)
      try viewed.require(permission)
      return try handler(call, NotedTransaction(viewed: viewed, transaction: transaction, bank: call.bank))
    }
  }

  private mutating func addNarrative() {
    note("GET", "/narrative", "can_see_owner_comment", "Get narrative") { _, noted in
      .ok(["narrative": .text(noted.notes.narrative)])
    }
    for (method, verb) in [("POST", "added"), ("PUT", "updated")] {
      note(method, "/narrative", "can_edit_owner_comment", "\(method) narrative") { call, noted throws(OBPError) in
        let text = try call.text(
          "narrative", of: try call.object("TransactionNarrativeJSON"), "TransactionNarrativeJSON")
        noted.change { $0.narrative = text }
        let done: JSONNode = ["success": .string("narrative \(verb)")]
        return method == "POST" ? .created(done) : .ok(done)
      }
    }
    note("DELETE", "/narrative", "can_edit_owner_comment", "Delete narrative") { _, noted in
      noted.change { $0.narrative = nil }
      return .deleted
    }
  }

  private mutating func addNoteList(
    _ name: String, _ list: WritableKeyPath<TransactionNotes, [BankNote]> & Sendable, see: String, add: String,
    remove: String
  ) {
    note("GET", "/\(name)", see, "Get \(name)") { call, noted in
      .ok(.object([.init(key: name, value: .list(noted.notes[keyPath: list], call.note))]))
    }
    note("POST", "/\(name)", add, "Add to \(name)") { call, noted throws(OBPError) in
      let value = try call.text("value", of: try call.object("PostTransactionJSON"), "PostTransactionJSON")
      let note = BankNote(id: call.state.makeID(), value: value, date: call.now, user: try call.signedIn())
      noted.change { $0[keyPath: list].append(note) }
      return .created(call.note(note))
    }
    note("DELETE", "/\(name)/NOTE_ID", remove, "Delete from \(name)") { call, noted throws(OBPError) in
      let id = call["NOTE_ID"]
      let isKnown = noted.change { notes in
        let place = notes[keyPath: list].firstIndex { $0.id == id }
        if let place { notes[keyPath: list].remove(at: place) }
        return place != nil
      }
      guard isKnown else { throw OBPError(400, "OBP-50010: Scala return Empty box to Liftweb.") }
      return .deleted
    }
  }

  private mutating func addImages() {
    note("GET", "/images", "can_see_images", "Get images") { call, noted in
      .ok(["images": .list(noted.notes.images, call.image)])
    }
    note("POST", "/images", "can_add_image", "Add image") { call, noted throws(OBPError) in
      let body = try call.object("PostTransactionImageJSON")
      let label = try call.text("label", of: body, "PostTransactionImageJSON")
      let url = try call.text("URL", of: body, "PostTransactionImageJSON")
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw OBPError(400, "OBP-10017: Invalid URL value.")
      }
      let user = try call.signedIn()
      let image = BankImage(id: call.state.makeID(), label: label, url: url, date: call.now, user: user)
      noted.change { $0.images.append(image) }
      return .created(call.image(image))
    }
    note("DELETE", "/images/IMAGE_ID", "can_delete_image", "Delete image") { call, noted in
      let id = call["IMAGE_ID"]
      noted.change { $0.images.removeAll { $0.id == id } }
      return .deleted
    }
  }

  private mutating func addPlace() {
    note("GET", "/where", "can_see_where_tag", "Get where") { call, noted in
      .ok(["where": noted.notes.place.map(call.place) ?? .null])
    }
    for (method, verb) in [("POST", "added"), ("PUT", "updated")] {
      note(method, "/where", "can_add_where_tag", "\(method) where") { call, noted throws(OBPError) in
        let place = try call.placeFromBody("where")
        noted.change { $0.place = place }
        let done: JSONNode = ["success": .string("where tag \(verb)")]
        return method == "POST" ? .created(done) : .ok(done)
      }
    }
    note("DELETE", "/where", "can_delete_where_tag", "Delete where") { _, noted in
      noted.change { $0.place = nil }
      return .deleted
    }
  }
}

/// A transaction whose notes are read and changed through a view.
struct NotedTransaction: Sendable {
  let viewed: ViewedAccount
  let transaction: BankTransaction
  let bank: BankService

  var notes: TransactionNotes { bank.notes(on: transaction, of: viewed.account) }

  @discardableResult
  func change<T: Sendable>(_ body: (inout TransactionNotes) -> T) -> T {
    bank.change(transaction, of: viewed.account, body)
  }
}

extension OBPCall {
  fileprivate func image(_ image: BankImage) -> JSONNode {
    [
      "id": .string(image.id), "label": .string(image.label), "URL": .string(image.url),
      "date": .string(image.date.iso), "user": person(image.user),
    ]
  }

  func place(_ place: BankPlace) -> JSONNode {
    [
      "latitude": .double(place.latitude), "longitude": .double(place.longitude), "date": .string(place.date.iso),
      "user": person(place.user),
    ]
  }

  /// A position under a key of the body: `{"where":{"latitude":…,"longitude":…}}`.
  func placeFromBody(_ key: String) throws(OBPError) -> BankPlace {
    let body = try object("PostTransactionWhereJSON")[key]
    guard let latitude = body["latitude"].double, let longitude = body["longitude"].double,
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { throw .badJSON("PostTransactionWhereJSON") }
    return BankPlace(latitude: latitude, longitude: longitude, date: now, user: try signedIn())
  }
}
