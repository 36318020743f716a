import Model

extension AlfrescoBackend {
  func listing(
    _ facet: NodeFacet, of reference: NodeReference, _ location: Location, _ page: PageRequest
  ) async throws(ServiceError) -> Listing {
    let id = try await identify(reference)
    var listing = Listing(location, title: facet.title, columns: [], rows: [])
    switch facet {
    case .versions:
      let answer = try await client.versions(of: id, page)
      listing.columns = [
        Column("id", "Version", rank: 0), Column("comment", "Comment", rank: 1),
        Column("modified", "Modified", .time, rank: 2), Column("modifier", "By", rank: 3, isPrivate: true),
        Column("size", "Size", .size, rank: 4),
      ]
      listing.rows = answer.entries.map { version in
        let values: [Value] = [
          .text(version.id), .optional(version.versionComment), .optional(version.modified),
          .optional(version.modifier?.name), .optional(size: version.content?.size.map { Int($0) }),
        ]
        return Row(location.appending(version.id), values, hasContent: version.content != nil)
      }
      listing.finish(answer, page)
    case .comments:
      let answer = try await client.comments(of: id, page)
      listing.columns = [
        Column("created", "Written", .time, rank: 2), Column("author", "By", rank: 1, isPrivate: true),
        Column("text", "Comment", rank: 0), Column("id", "Id", rank: 9),
      ]
      listing.rows = answer.entries.map { comment in
        let values: [Value] = [
          .optional(comment.created), .optional(comment.author), .text(comment.text), .text(comment.id),
        ]
        return Row(location.appending(comment.id), values)
      }
      listing.actions = [NodeActions.comment(isReadOnly: connection.isReadOnly)]
      listing.finish(answer, page)
    case .tags:
      let answer = try await client.tags(of: id, page)
      listing.columns = [Column("tag", "Tag", rank: 0), Column("id", "Id", rank: 9)]
      listing.rows = answer.entries.map { Row(location.appending($0.id), [.text($0.tag), .text($0.id)]) }
      listing.actions = [NodeActions.tag(isReadOnly: connection.isReadOnly)]
      listing.finish(answer, page)
    case .renditions:
      let answer = try await client.renditions(of: id, page)
      listing.columns = [
        Column("id", "Rendition", rank: 0), Column("status", "Status", rank: 1), Column("mime", "Type", rank: 2),
        Column("size", "Size", .size, rank: 3),
      ]
      listing.rows = answer.entries.map { rendition in
        let values: [Value] = [
          .text(rendition.id), .text(rendition.status), .optional(rendition.content?.mediaType),
          .optional(size: rendition.content?.size.map { Int($0) }),
        ]
        return Row(location.appending(rendition.id), values, hasContent: rendition.isCreated)
      }
      listing.finish(answer, page)
    case .ratings: return try await ratings(of: id, location)
    case .categories: return try await categories(ofNode: id, location, page)
    case .associations: return try await associations(of: id, location)
    case .audit:
      return AuditTable.listing(try await client.auditEntries(ofNode: id, page), location, title: "Audit", page)
    }
    return listing
  }

  /// One version, comment, tag or rendition.
  func item(
    _ facet: NodeFacet, _ entry: String, of reference: NodeReference, _ location: Location
  ) async throws(ServiceError) -> Item {
    let id = try await identify(reference)
    switch facet {
    case .versions: return FacetItem.version(try await client.version(entry, of: id), location, connection.isReadOnly)
    case .renditions:
      return FacetItem.rendition(try await client.rendition(entry, of: id), location, connection.isReadOnly)
    case .comments:
      let page = try await client.comments(of: id, Self.wholeList)
      guard let comment = page.entries.first(where: { $0.id == entry }) else { throw .notFound(location) }
      return FacetItem.comment(comment, page.raw, location, connection.isReadOnly)
    case .tags:
      let page = try await client.tags(of: id, Self.wholeList)
      guard let tag = page.entries.first(where: { $0.id == entry || $0.tag == entry }) else {
        throw .notFound(location)
      }
      return FacetItem.tag(tag, page.raw, location, connection.isReadOnly)
    case .ratings:
      let page = try await client.ratings(of: id)
      guard let rating = page.entries.first(where: { $0.id == entry }) else { throw .notFound(location) }
      return FacetItem.rating(rating, page.raw, location, connection.isReadOnly)
    case .categories:
      let page = try await client.categories(of: id, Self.wholeList)
      guard let category = page.entries.first(where: { $0.id == entry }) else { throw .notFound(location) }
      return FacetItem.category(
        category, page.raw, location, categoryLocation(category.id), connection.isReadOnly)
    case .associations, .audit: throw .notFound(location)
    }
  }

  /// Comments and tags can only be listed, so one of them is looked for among many.
  private static let wholeList = PageRequest(limit: 1000)
}

/// Items of what hangs on a node.
enum FacetItem {
  static func rating(_ rating: Rating, _ raw: RawAnswer, _ location: Location, _ isReadOnly: Bool) -> Item {
    let fields = [
      Field("id", "Scheme", .text(rating.id)), Field("mine", "Yours", .optional(rating.mine), .integer),
      Field("count", "Ratings", .optional(rating.count), .integer),
      Field("average", "Average", rating.average.map { .decimal($0) } ?? .null, .decimal),
      Field("rated", "You rated", .optional(rating.rated), .time),
    ]
    return Item(
      location, title: rating.id, sections: [Item.Section("Rating", fields)],
      actions: rating.id == "likes"
        ? [NodeActions.like(isReadOnly), NodeActions.unlike(isReadOnly)]
        : [NodeActions.rate(isReadOnly), NodeActions.unrate(isReadOnly)], raw: raw)
  }

  static func category(
    _ category: Category, _ raw: RawAnswer, _ location: Location, _ own: Location, _ isReadOnly: Bool
  ) -> Item {
    let fields = [
      Field("name", "Name", .text(category.name)), Field("path", "Under", .optional(category.path)),
      Field("id", "Id", .text(category.id)),
    ]
    return Item(
      location, title: category.name, sections: [Item.Section("Category", fields)],
      related: [Link("The category", own, opening: .item)],
      actions: [Action("unfile", "Take out of it", disabled: isReadOnly ? NodeActions.readOnly : nil)], raw: raw)
  }

  static func version(_ entry: Entry<Node>, _ location: Location, _ isReadOnly: Bool) -> Item {
    let version = entry.value
    let fields = [
      Field("id", "Version", .text(version.id)), Field("name", "Name", .text(version.name)),
      Field("comment", "Comment", .optional(version.versionComment)),
      Field("modified", "Modified", .optional(version.modified), .time),
      Field("modifier", "Modified by", .optional(version.modifier?.name), isPrivate: true),
      Field("mime", "Type", .optional(version.content?.mediaType)),
      Field("size", "Size", .optional(size: version.content?.size.map { Int($0) }), .size),
    ]
    let revert = Action(
      "revert", "Make it the newest version",
      fields: [
        FormField("comment", "Comment", isRequired: false),
        FormField("major", "Major version", .flag, initial: "true", isRequired: false),
      ], disabled: isReadOnly ? NodeActions.readOnly : nil)
    let delete = Action(
      "delete", "Delete this version", disabled: isReadOnly ? NodeActions.readOnly : nil,
      warning: "Delete version \(version.id) of “\(version.name)” for good")
    return Item(
      location, title: "\(version.name) \(version.id)", sections: [Item.Section("Version", fields)],
      actions: [revert, delete], content: version.contentHead, raw: entry.raw)
  }

  static func rendition(_ entry: Entry<Rendition>, _ location: Location, _ isReadOnly: Bool) -> Item {
    let rendition = entry.value
    let size = rendition.content?.size
    let fields = [
      Field("id", "Rendition", .text(rendition.id)), Field("status", "Status", .text(rendition.status)),
      Field("mime", "Type", .optional(rendition.content?.mediaType)),
      Field("size", "Size", .optional(size: size.map { Int($0) }), .size),
    ]
    let request = Action(
      "request", "Have it made", disabled: isReadOnly ? NodeActions.readOnly : rendition.isCreated ? "it is there" : nil
    )
    let content = rendition.content.map { ContentHead(name: rendition.id, mediaType: $0.mediaType, size: size) }
    return Item(
      location, title: rendition.id, sections: [Item.Section("Rendition", fields)], actions: [request],
      content: rendition.isCreated ? content : nil, raw: entry.raw)
  }

  static func comment(_ comment: Comment, _ raw: RawAnswer, _ location: Location, _ isReadOnly: Bool) -> Item {
    let fields = [
      Field("id", "Id", .text(comment.id)), Field("created", "Written", .optional(comment.created), .time),
      Field("author", "Author", .optional(comment.author), isPrivate: true),
      Field("text", "Comment", .text(comment.text)),
      Field("modified", "Changed", .optional(comment.modified), .time),
    ]
    let mine = "it is somebody else's"
    let edit = Action(
      "edit", "Change", fields: [FormField("text", "Comment", .multiline, initial: comment.text)],
      disabled: isReadOnly ? NodeActions.readOnly : comment.canEdit ? nil : mine)
    let delete = Action(
      "delete", "Delete", disabled: isReadOnly ? NodeActions.readOnly : comment.canDelete ? nil : mine,
      warning: "Delete the comment of \(comment.author ?? "somebody") for good")
    return Item(
      location, title: "Comment", sections: [Item.Section("Comment", fields)], actions: [edit, delete], raw: raw)
  }

  static func tag(_ tag: Tag, _ raw: RawAnswer, _ location: Location, _ isReadOnly: Bool) -> Item {
    let fields = [Field("id", "Id", .text(tag.id)), Field("tag", "Tag", .text(tag.tag))]
    let untag = Action("untag", "Remove the tag", disabled: isReadOnly ? NodeActions.readOnly : nil)
    return Item(location, title: tag.tag, sections: [Item.Section("Tag", fields)], actions: [untag], raw: raw)
  }
}
