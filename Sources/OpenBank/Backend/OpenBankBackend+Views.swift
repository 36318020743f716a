import JSON
import Model

/// The views of an account: who sees what, and who holds them (reference, section 3.5).
extension OpenBankBackend {
  private static let viewColumns = [
    Column("id", "Id", rank: 0), Column("name", "Name", rank: 1), Column("public", "Public", .flag, rank: 1),
    Column("system", "The bank's", .flag, rank: 2), Column("alias", "Names shown", rank: 3),
    Column("description", "Description", rank: 2),
  ]

  static func accountPath(_ account: AccountID) -> String {
    OpenBankClient.path("banks", account.bank, "accounts", account.account)
  }

  func views(_ location: Location, _ query: ListQuery, _ account: AccountID) async throws(ServiceError) -> Listing {
    do {
      let answer = try await client.send(
        "\(OpenBankBackend.accountPath(account))/views", "load the views of \(account.account)")
      return try .whole(
        location, "Views", OpenBankBackend.viewColumns, Array(try answer.elements("views")), query, raw: answer.raw,
        actions: [createViewAction]
      ) { view in
        let id = view["id"].string ?? ""
        return Row(
          location.below(id),
          [
            .text(id), view.value("short_name"), view["is_public"].flag, OpenBankBackend.isSystem(view),
            view.value("alias"), view.value("description"),
          ])
      }
    } catch {
      // Only the owner may list them all; others know those that the account lists name (reference, trap 36).
      let known = client.knownViews(of: account)
      guard error.code == .forbidden, !known.isEmpty else { throw error }
      let rows = known.map { view in
        Row(location.below(view.id), [.text(view.id), .text(view.name), .flag(view.isPublic), .null, .null, .null])
      }
      return Listing(
        location, title: "Views", columns: OpenBankBackend.viewColumns, rows: rows, total: .exact(rows.count),
        notices: ["Only the views that you hold yourself: \(error.reason)."])
    }
  }

  /// Before version 3 only the name tells: those of one's own begin with an underscore.
  static func isSystem(_ view: JSONValue) -> Value {
    view["is_system"].bool.map { .flag($0) } ?? .flag(!(view["id"].string ?? "_").hasPrefix("_"))
  }

  func viewItem(_ location: Location, _ account: AccountID, _ id: String) async throws(ServiceError) -> Item {
    let answer = try await client.send("\(OpenBankBackend.accountPath(account))/views", "open the view \(id)")
    guard let view = try answer.elements("views").first(where: { $0["id"].string == id }) else {
      throw .notFound(location)
    }
    let rights = view.members.filter { $0.key.hasPrefix("can_") && $0.value.bool != nil }.map {
      Field($0.key, OpenBankBackend.title(of: String($0.key.dropFirst(4))), $0.value.flag, .flag)
    }
    let holders = try await holders(account, of: id)
    let names = holders.map { holder in
      Field(
        "holder_\(holder.id)", holder.name, .text("known by \(holder.provider)"), isPrivate: true)
    }
    return Item(
      location, title: view["short_name"].string ?? id,
      sections: [
        Item.Section(
          "View",
          [
            Field("id", "Id", .text(id)), Field("name", "Name", view.value("short_name")),
            Field("description", "Description", view.value("description")),
            Field("public", "Public", view["is_public"].flag, .flag),
            Field("system", "The bank's", OpenBankBackend.isSystem(view), .flag),
            Field("alias", "Names shown", view.value("alias")),
          ]), Item.Section("Held by", names.withUniqueIDs), Item.Section("It permits to", rights),
      ].filter { !$0.fields.isEmpty },
      related: [
        Link("Account through this view", location.account(account).seen(through: id), opening: .item),
        Link(
          "Transactions through this view", location.account(account).appending("transactions").seen(through: id)),
      ], actions: viewActions(view, id, holders), raw: answer.raw)
  }

  // MARK: Who holds them

  /// A user who sees through a view.
  struct Holder: Sendable {
    let id: String
    let name: String
    let provider: String
  }

  /// Users with this view; none where the server does not tell this user.
  private func holders(_ account: AccountID, of view: String) async throws(ServiceError) -> [Holder] {
    do {
      let answer = try await client.send(
        "\(OpenBankBackend.accountPath(account))/permissions", "ask who holds the view \(view)")
      return answer.root["permissions"].elements.filter { permission in
        permission["views"].elements.contains { $0["id"].string == view }
      }.map { permission in
        let user = permission["user"]
        return Holder(
          id: user.first("id", "user_id") ?? "", name: user.first("display_name", "username") ?? "",
          provider: user["provider"].string ?? "")
      }
    } catch {
      guard error.code != .signInNeeded, error.code != .cancelled else { throw error }
      return []
    }
  }
}
