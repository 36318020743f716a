import Glibc
import JSON

/// The server about itself: root, versions, resource docs, glossary.
extension OBPRoutes {
  mutating func addInformation() {
    add(.v121, "GET", "/root", .open, "root", "Get API Info") { .ok($0.root()) }
    add(.v121, "GET", "", .open, "rootEmptyPath", "Get API Info") { .ok($0.root()) }
    add(.v400, "GET", "/api/versions", .open, "getScannedApiVersions", "Get scanned API Versions") { call in
      .ok(["scanned_api_versions": .list(call.servedVersions, OBPCall.scannedVersion)])
    }
    add(.v140, "GET", "/resource-docs/VERSION/obp", .open, isOld: false, "getResourceDocs", "Get Resource Docs") {
      call throws(OBPError) in try call.resourceDocs()
    }
    add(.v300, "GET", "/api/glossary", .open, "getApiGlossary", "Get API Glossary") { _ in .ok(OBPCall.glossary) }
    add(.v310, "GET", "/rate-limiting", .open, "getRateLimitingInfo", "Get Rate Limiting Info") { call in
      let isOn = call.profile.callsPerMinute != nil
      return .ok([
        "enabled": .bool(isOn), "technology": "REDIS", "service_available": true, "is_active": .bool(isOn),
      ])
    }
    add(.v510, "GET", "/waiting-for-godot", .open, "waitingForGodot", "Waiting For Godot") { call in
      let milliseconds = min(max(0, Int(call.request.query("sleep") ?? "") ?? 0), 600_000)
      usleep(UInt32(milliseconds) * 1_000)
      return .ok(["sleep_in_milliseconds": .int(milliseconds)])
    }
    add(.v510, "GET", "/ui/suggested-session-timeout", .open, "suggestedSessionTimeout", "Get Session Timeout") { _ in
      .ok(["timeout_in_seconds": "300"])
    }
    add(.v510, "GET", "/well-known", .open, "getWellKnownUris", "Get Well Known URIs") { call in
      .ok([
        "well_known_uris": .list(call.identity.map { [$0.discovery] } ?? []) {
          ["provider": "keycloak", "url": .string(call.request.origin + $0)]
        }
      ])
    }
  }
}

extension OBPCall {
  fileprivate func root() -> JSONNode {
    var node: JSONNode = [
      "version": .string(version.text), "version_status": .string(version.status),
      "git_commit": "5e1c2f0a9b7d4c3e8f6a1b2c3d4e5f60718293a4", "connector": "mapped",
      "hosted_by": [
        "organisation": "City Sandbox", "email": "ops@city.example", "phone": "+358 9 000 000",
        "organisation_website": "https://city.example",
      ],
    ]
    guard version >= .v400 else { return node }
    node["hostname"] = .string(hostname)
    node["local_identity_provider"] = .string(hostname)
    node["hosted_at"] = ["organisation": "City Hall", "organisation_website": "https://hall.example"]
    node["energy_source"] = ["organisation": "River Mill", "organisation_website": "https://mill.example"]
    node["resource_docs_requires_role"] = false
    if version >= .v510 { node["stage"] = "testing" }
    return node
  }

  fileprivate var servedVersions: [OBPVersion] {
    OBPVersion.allCases.filter { $0 < .v600 || profile.generation == .high }
  }

  fileprivate static func scannedVersion(_ version: OBPVersion) -> JSONNode {
    [
      "urlPrefix": "obp", "apiStandard": "obp", "apiShortVersion": .string(version.text),
      "API_VERSION": .string(version.text),
    ]
  }

  fileprivate func resourceDocs() throws(OBPError) -> OBPReply {
    guard let asked = OBPVersion(text: self["VERSION"]) else {
      throw OBPError(400, "OBP-00027: Unknown API version. Current version is \(self["VERSION"])")
    }
    let tags = request.query("tags").map { Set($0.split(separator: ",").map(String.init)) }
    let functions = request.query("functions").map { Set($0.split(separator: ",").map(String.init)) }
    let routes = OBPRoutes.standard.served(by: asked).filter { route in
      tags?.contains(route.tag) ?? true && functions?.contains(route.name) ?? true
    }
    return .ok(["resource_docs": .list(routes) { Self.doc($0, asked) }])
  }

  private static func doc(_ route: OBPRoute, _ version: OBPVersion) -> JSONNode {
    let isOpen = if case .open = route.access { true } else { false }
    let note = "Authentication is \(isOpen ? "Optional" : "Mandatory")"
    let needsBank = route.path.contains("BANK_ID")
    return [
      "operation_id": .string(route.operationID),
      "implemented_by": ["version": .string(route.since.text), "function": .string(route.name)],
      "request_verb": .string(route.method), "request_url": .string("/obp/\(route.since.text)\(route.path)"),
      "specified_url": .string("/obp/\(version.text)\(route.path)"), "summary": .string(route.summary),
      "description": .string("<p>\(route.summary).</p><p>\(note)</p>"),
      "description_markdown": .string("\(route.summary).\n\n\(note)"),
      "example_request_body": OBPExamples.body(of: route.name) ?? .null,
      "success_response_body": OBPExamples.answer(of: route.name) ?? .null,
      "error_response_bodies": isOpen ? [] : [.string(OBPError.notLoggedIn.message)], "tags": [.string(route.tag)],
      "typed_request_body": nil, "typed_success_response_body": nil,
      "roles": .list(route.roles) { ["role": .string($0), "requires_bank_id": .bool(needsBank)] },
      "is_featured": false, "special_instructions": "", "connector_methods": [],
    ]
  }

  fileprivate static let glossary: JSONNode = [
    "glossary_items": .list(glossaryItems) { title, text in
      ["title": .string(title), "description": ["markdown": .string(text), "html": .string("<p>\(text)</p>")]]
    }
  ]

  private static let glossaryItems = [
    ("Account", "A place where a bank keeps somebody's money, seen through a view."),
    ("Bank", "An institution that holds accounts; its id has dots in it."),
    ("Counterparty", "A payee that was entered for an account and can be paid."),
    ("DirectLogin", "A sign-in by user name, password and consumer key in one header."),
    ("View", "A named set of permissions on one account: who sees what, and may do what."),
    ("Transaction Request", "A payment that was asked for, and the challenge that may stand before it."),
  ]
}
