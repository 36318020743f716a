import JSON

extension TransactionWriter {
  /// The metadata of a transaction; a list that the view hides is null.
  func writeNotes(_ notes: TransactionNotes, _ json: inout JSONWriter) {
    guard sight.metadata else { return json.null() }
    json.beginObject()
    json.text("narrative", view.grants("can_see_owner_comment") ? notes.narrative : nil)
    json.key("comments")
    write(notes.comments, isShown: view.grants("can_see_comments"), &json)
    json.key("tags")
    write(notes.tags, isShown: view.grants("can_see_tags"), &json)
    json.key("images")
    if view.grants("can_see_images") {
      json.beginArray()
      for image in notes.images { write(image, &json) }
      json.endArray()
    } else {
      json.null()
    }
    write("where", view.grants("can_see_where_tag") ? notes.place : nil, &json)
    json.endObject()
  }

  private func write(_ notes: [BankNote], isShown: Bool, _ json: inout JSONWriter) {
    guard isShown else { return json.null() }
    json.beginArray()
    for note in notes {
      json.beginObject()
      json.text("id", note.id)
      json.text("value", note.value)
      json.text("date", note.date.iso)
      write(note.user, &json)
      json.endObject()
    }
    json.endArray()
  }

  private func write(_ image: BankImage, _ json: inout JSONWriter) {
    json.beginObject()
    json.text("id", image.id)
    json.text("label", image.label)
    json.text("URL", image.url)
    json.text("date", image.date.iso)
    write(image.user, &json)
    json.endObject()
  }

  private func write(_ key: String, _ place: BankPlace?, _ json: inout JSONWriter) {
    json.key(key)
    guard let place else { return json.null() }
    json.beginObject()
    json.key("latitude")
    json.number("\(place.latitude)")
    json.key("longitude")
    json.number("\(place.longitude)")
    json.text("date", place.date.iso)
    write(place.user, &json)
    json.endObject()
  }

  private func write(_ user: BankUser, _ json: inout JSONWriter) {
    json.key("user")
    json.beginObject()
    json.text("id", user.id)
    json.text("provider", hostname)
    json.text("display_name", user.username)
    json.endObject()
  }

  /// The metadata of the other side.
  func write(_ notes: PartyNotes, to json: inout JSONWriter) {
    json.beginObject()
    json.text("public_alias", view.grants("can_see_public_alias") ? notes.publicAlias : nil)
    json.text("private_alias", view.grants("can_see_private_alias") ? notes.privateAlias : nil)
    json.text("more_info", view.grants("can_see_more_info") ? notes.moreInfo : nil)
    json.text("URL", view.grants("can_see_url") ? notes.url : nil)
    json.text("image_URL", view.grants("can_see_image_url") ? notes.imageURL : nil)
    json.text("open_corporates_URL", view.grants("can_see_open_corporates_url") ? notes.openCorporatesURL : nil)
    let corporate = view.grants("can_see_corporate_location") ? notes.corporateLocation : nil
    write("corporate_location", corporate, &json)
    write("physical_location", view.grants("can_see_physical_location") ? notes.physicalLocation : nil, &json)
    json.endObject()
  }
}
