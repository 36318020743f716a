import JSON

extension Repository {
  /// The repository of a seed: sites, a shared space, homes, and an archive of `documents` files in one folder.
  static func generated(seed: UInt64, documents: Int) -> Repository {
    var builder = RepositoryBuilder(seed: seed)
    builder.repository.people = RepoPerson.all(seed: seed)
    let root = builder.companyHome()
    builder.homes(in: root.homes)
    builder.loanSite(in: root.sites)
    builder.publicSites(in: root.sites)
    builder.sharedSpace(in: root.shared, documents: documents)
    builder.socialLife()
    builder.classification()
    return builder.finished()
  }
}

extension RepoPerson {
  /// The people of the repository; passwords are made from the seed.
  static func all(seed: UInt64) -> [RepoPerson] {
    func password(_ id: String) -> String {
      var random = SeededRandom(seed: seed, "repository.password.\(id)")
      return random.secret()
    }
    func person(_ id: String, _ first: String, _ last: String?, _ job: String?, _ place: String?) -> RepoPerson {
      RepoPerson(
        id: id, firstName: first, lastName: last, email: "\(id)@example.test", jobTitle: job, location: place,
        organization: job == nil ? nil : "Meridian Bank", password: password(id), home: nil)
    }
    return [
      person("susan", "Susan", "Müller", "Credit officer", "Zurich"),
      person("omar", "Omar", "Haddad", "Counsel", "Rotterdam"),
      person("yuki", "結希", "田中", "Archivist", "Tokyo"),
      person("eleni", "Ελένη", "Παπαδάκη", "Surveyor", "Piraeus"),
      person("nils", "Nils", "Åkerblom", nil, nil),
      person("admin", "Administrator", nil, nil, nil),
      RepoPerson(
        id: "guest", firstName: "Guest", lastName: nil, email: nil, jobTitle: nil, location: nil, organization: nil,
        password: password("guest"), home: nil),
    ]
  }
}

extension RepositoryBuilder {
  /// Company Home with what every new installation holds.
  fileprivate mutating func companyHome() -> (sites: String, shared: String, homes: String) {
    let root = folder(
      "Company Home", in: nil, by: "System", title: "Company Home",
      grants: [NodeGrant(authority: "GROUP_EVERYONE", role: "Consumer")])
    repository.root = root
    repository.nodes[root]?.properties["cm:description"] = "The company root space"
    repository.nodes[root]?.aspects = ["cm:titled", "cm:auditable", "app:uifacets"]
    let dictionary = folder("Data Dictionary", in: root, by: "System")
    _ = folder("Email Templates", in: dictionary, by: "System")
    _ = folder("Models", in: dictionary, by: "System")
    for name in ["Guest Home", "Imap Attachments", "IMAP Home"] { _ = folder(name, in: root, by: "System") }
    let shared = folder(
      "Shared", in: root, by: "System", title: "Shared",
      grants: [NodeGrant(authority: "GROUP_EVERYONE", role: "Contributor")])
    let sites = folder("Sites", in: root, by: "System", type: "st:sites")
    let homes = folder("User Homes", in: root, by: "System")
    repository.shared = shared
    repository.fixed = [root, dictionary, shared, sites, homes]
    return (sites, shared, homes)
  }

  /// A home for each person but the guest and Nils, who has none.
  fileprivate mutating func homes(in parent: String) {
    for index in repository.people.indices where !["guest", "nils", "admin"].contains(repository.people[index].id) {
      let user = repository.people[index].id
      let home = folder(
        user, in: parent, by: user, grants: [NodeGrant(authority: user, role: "All")], inherits: false)
      repository.people[index].home = home
      let drafts = folder("Drafts", in: home, by: user)
      document("Notes on the quay wall", in: drafts, by: user, .english, .markdown, days: 1...9)
      document("Einkaufsliste", in: home, by: user, .german, .plain, length: 2...4, days: 1...25)
      document("Travel expenses", in: home, by: user, .english, .csv)
    }
  }

  /// The library that the signed-in person manages, with versions, rights and notes.
  fileprivate mutating func loanSite(in sites: String) {
    let library = site(
      "harbour-loans", "Harbour loans", .moderated, text: "Syndicated facilities", in: sites,
      members: [("susan", "SiteManager"), ("omar", "SiteCollaborator"), ("yuki", "SiteConsumer")])
    let sheets = folder("Term sheets", in: library, by: "omar")
    let quay = document(
      "Quay 7 facility", in: sheets, by: "omar", .english, .pdf, length: 40...60, title: "Facility agreement, Quay 7")
    repository.nodes[quay]?.properties["cm:description"] = "Signed copy"
    repository.nodes[quay]?.grants = [NodeGrant(authority: "omar", role: "Editor")]
    revise(quay, by: "susan", comment: "Annex B corrected")
    document("Old Mill Street facility", in: sheets, by: "omar", .english, .pdf, title: "Facility agreement")
    document("Kreditvertrag Lindenhof", in: sheets, by: "susan", .german, .plain, title: "Kreditvertrag")
    document("Contrat de prêt Saint-Éloi", in: sheets, by: "omar", .french, .plain)
    let minutes = folder("Minutes", in: library, by: "susan")
    for month in 1...11 {
      let id = document(
        "Minutes 2026-\(SandboxTime.padded(month, 2))", in: minutes, by: month % 2 == 0 ? "susan" : "omar", .english,
        month % 3 == 0 ? .html : .markdown, days: 1...330)
      if month % 4 == 0 { revise(id, by: "susan", comment: "Names corrected") }
    }
    let correspondence = folder("Correspondence", in: library, by: "susan")
    let letters: [(String, DocumentLanguage)] = [
      ("Letter to Castillo Hermanos", .spanish), ("企業口座について", .japanese), ("Επιστολή", .greek), ("رسالة", .arabic),
      ("Brief an Brückner & Söhne", .german), ("Reply of the port authority", .english),
    ]
    for (name, language) in letters { document(name, in: correspondence, by: "omar", language, .plain) }
    _ = folder("Empty folder", in: library, by: "susan")
  }

  fileprivate mutating func publicSites(in sites: String) {
    let museum = site(
      "museum", "Museum in the customs house", .open, text: "Exhibitions and loans of paintings", in: sites,
      members: [("yuki", "SiteManager"), ("susan", "SiteContributor")])
    let pictures = folder("Pictures", in: museum, by: "yuki")
    for index in 1...12 {
      file(
        "View \(SandboxTime.padded(index, 2)).png", in: pictures, by: "yuki", content: .picture(index),
        mimeType: "image/png")
    }
    for index in 1...14 {
      let language = DocumentLanguage.allCases[index % DocumentLanguage.allCases.count]
      document("Exhibition \(1990 + index)", in: museum, by: "yuki", language, index % 2 == 0 ? .html : .plain)
    }
    let planning = site(
      "city-planning", "City planning", .open, text: "Permits, noise and traffic", in: sites,
      members: [("eleni", "SiteManager"), ("omar", "SiteConsumer")])
    for index in 1...20 {
      document("Permit \(4000 + index)", in: planning, by: "eleni", .english, .json, length: 4...8)
    }
    let hospital = site(
      "hospital", "Hospital trust", .closed, text: "Guarantees and insurance", in: sites,
      members: [("admin", "SiteManager"), ("susan", "SiteCollaborator")])
    for index in 1...8 { document("Guarantee \(index)", in: hospital, by: "admin", .english, .plain) }
    let board = site(
      "board", "Board papers", .closed, text: "Members only", in: sites, members: [("omar", "SiteManager")])
    document("Confidential strategy", in: board, by: "omar", .english, .plain)
    _ = site(
      "archive-group", "Archive group", .moderated, text: "Joins on request", in: sites,
      members: [("yuki", "SiteManager")])
  }

  fileprivate mutating func sharedSpace(in shared: String, documents: Int) {
    let reports = folder("Reports", in: shared, by: "susan")
    for year in 2019...2026 {
      document("Annual report \(year)", in: reports, by: "susan", .english, .pdf, length: 20...40)
      document("Jahresbericht \(year)", in: reports, by: "susan", .german, .plain)
    }
    let media = folder("Media", in: shared, by: "yuki")
    file(
      "survey-scan.bin", in: media, by: "yuki", content: .pattern(length: 64 << 20),
      mimeType: "application/octet-stream", title: "Laser scan of the quay wall, 64 MiB")
    file("crane.png", in: media, by: "yuki", content: .picture(99), mimeType: "image/png")
    awkwardNames(in: folder("Awkward names", in: shared, by: "susan"))
    archive(in: folder("Archive", in: shared, by: "admin", title: "Everything before the move"), documents: documents)
  }

  /// One folder with as many files as asked for.
  private mutating func archive(in parent: String, documents: Int) {
    let topics = ["invoice", "receipt", "letter", "permit", "survey", "minutes", "contract", "statement"]
    let users = ["susan", "omar", "yuki", "eleni"]
    for index in 0..<documents {
      let language: DocumentLanguage = index % 5 == 4 ? DocumentLanguage.allCases[index / 5 % 7] : .english
      document(
        "\(SandboxTime.padded(index + 1, 6)) \(topics[index % topics.count])", in: parent,
        by: users[index / 3 % users.count], language, .plain, length: 2...5, days: 40...2500)
    }
  }

  /// What trips up programs that quote, escape, sort or print names carelessly.
  private mutating func awkwardNames(in parent: String) {
    let long = "A name of the full length that the repository allows " + String(repeating: "long ", count: 39)
    let names = [
      "100% sure + 50 & more.txt", "#1 [draft] {final}.txt", "and or not to.txt", "-dash first.txt", "@at first.txt",
      "it's 'quoted'.txt", "semi;colon=equals,comma.txt", "two  spaces.txt", "~tilde ^caret `tick`.txt", "%41.txt",
      "café composed.txt", "cafe\u{301} decomposed.txt", "👩‍👩‍👧‍👦 family.txt", "企業口座 2026.txt", "ملف عربي.txt",
      "Ελληνικά.txt", "annual\u{202E}fdp.txt", "tab\u{9}inside.txt", "zero\u{200B}width.txt", "UPPER.TXT",
      "$(echo x).txt",
      long.trimmingSuffix(" ") + ".txt",
    ]
    for name in names {
      file(name, in: parent, by: "susan", content: .bytes(Array("Content of \(name)\n".utf8)), mimeType: "text/plain")
    }
    file("empty.txt", in: parent, by: "susan", content: .bytes([]), mimeType: "text/plain")
    let escapes = "red \u{1B}[31malert\u{1B}[0m, bell \u{7}, title \u{1B}]0;owned\u{7}, override \u{202E}abc\u{202C}\n"
    file(
      "escape sequences.txt", in: parent, by: "susan", content: .bytes(Array(escapes.utf8)), mimeType: "text/plain",
      title: "A title with \u{1B}[31mred\u{1B}[0m and a bell\u{7}", text: "line one\nline two")
    file(
      "latin-1.txt", in: parent, by: "susan", content: .bytes([0x67, 0x72, 0xFC, 0x6E, 0x0D, 0x0A]),
      mimeType: "text/plain")
  }

  /// Comments, tags, stars, favourites, a link and a bin, so that no list is empty.
  fileprivate mutating func socialLife() {
    let files = repository.nodes.values.filter(\.isFile).sorted { $0.id < $1.id }
    for tag in ["urgent", "signed", "draft", "2026", "größe"] { repository.extras.tagNames[repository.makeID()] = tag }
    let tagIDs = repository.extras.tagNames.keys.sorted()
    let quay = files.first { $0.name == "Quay 7 facility.pdf" }
    for (index, node) in (files.prefix(40) + [quay].compactMap(\.self)).enumerated() {
      repository.extras.tags[node.id] = [tagIDs[index % tagIDs.count], tagIDs[(index / 2 + 1) % tagIDs.count]].uniqued()
      repository.nodes[node.id]?.add(aspect: "cm:taggable")
    }
    guard let quay else { return }
    for (user, words) in [
      ("susan", "<p>Please check annex&nbsp;B</p>"), ("omar", "<p>Done, see <b>1.1</b> &amp; later</p>"),
    ] {
      let time = past(days: 2...10)
      repository.extras.comments[quay.id, default: []].insert(
        RepoComment(
          id: repository.makeID(), content: words, creator: user, created: time, modifier: user, modified: time), at: 0)
    }
    repository.extras.stars[quay.id] = ["yuki": (4, past(days: 2...9)), "eleni": (3, past(days: 2...9))]
    repository.extras.likes[quay.id] = ["yuki": past(days: 2...9)]
    let liked = ["Jahresbericht 2026.txt", "Minutes 2026-11.html", "Minutes 2026-11.md", "企業口座について.txt", "crane.png"]
    let mine = files.filter { liked.contains($0.name) }.map(\.id) + [quay.id]
    let guids = mine + [repository.site("museum")?.guid].compactMap(\.self)
    var favorites: [RepoFavorite] = []
    for guid in guids { favorites.append(RepoFavorite(guid: guid, created: past(days: 5...90))) }
    repository.favorites["susan"] = favorites
    repository.links.append(
      SharedLink(
        id: "q3bEKPeDQvmJYgt4hJxOjw", node: quay.id, user: "susan", created: past(days: 1...4),
        expires: today.adding(days: 24)))
    let old = past(days: 2...6)
    for node in files.filter({ $0.creator == "susan" && $0.name.hasPrefix("Jahresbericht") }).prefix(2) {
      repository.children[node.parent ?? ""]?.removeAll { $0 == node.id }
      repository.nodes[node.id] = nil
      repository.trash.append(TrashEntry(node: node, subtree: [node], archived: old, archivedBy: "susan"))
    }
  }
}

extension RepositoryBuilder {
  /// A tree of categories, a few files filed under them, properties of the bank's own model, and nodes that point to
  /// others.
  fileprivate mutating func classification() {
    var ids: [String: String] = [:]
    for (name, parent) in [
      ("Contracts", nil), ("Facilities", "Contracts"), ("Guarantees", "Contracts"), ("Regions", nil),
      ("Europe", "Regions"), ("Asia", "Regions"), ("Languages", nil),
    ] as [(String, String?)] {
      let id = repository.makeID()
      ids[name] = id
      repository.categories.append(RepoCategory(id: id, name: name, parent: parent.flatMap { ids[$0] }))
    }
    let files = repository.nodes.values.filter(\.isFile).sorted { $0.id < $1.id }
    for node in files where node.name.contains("acility") || node.name.hasPrefix("Guarantee") {
      let filed = [node.name.contains("acility") ? "Facilities" : "Guarantees", "Europe"].compactMap { ids[$0] }
      repository.nodes[node.id]?.properties["cm:categories"] = .array(filed.map { .string($0) })
      repository.nodes[node.id]?.add(aspect: "cm:generalclassifiable")
    }
    guard let quay = files.first(where: { $0.name == "Quay 7 facility.pdf" }) else { return }
    repository.nodes[quay.id]?.add(aspect: "loan:facility")
    let terms: [(String, JSONNode)] = [
      ("loan:number", "F-2026-0007"), ("loan:borrower", "Quay 7 Developments"),
      ("loan:signed", "2026-09-01T22:00:00.000+0000"), ("loan:amount", 48_500),
      ("loan:covenants", ["Leverage below 3.5", "Insurance of the quay wall"]),
    ]
    for (name, value) in terms { repository.nodes[quay.id]?.properties[name] = value }
    for name in ["Old Mill Street facility.pdf", "Letter to Castillo Hermanos.txt"] {
      guard let other = files.first(where: { $0.name == name }) else { continue }
      repository.associations.append(RepoAssociation(source: quay.id, target: other.id, type: "cm:references"))
    }
    if let group = repository.sites.firstIndex(where: { $0.id == "harbour-loans" }) {
      repository.sites[group].requests = [
        .init(user: "eleni", message: "For the survey of quay 7", created: past(days: 1...3))
      ]
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ suffix: Character) -> String {
    var result = self
    while result.last == suffix { result.removeLast() }
    return result
  }
}

extension Array where Element: Hashable {
  /// The elements in order, each once.
  func uniqued() -> [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
