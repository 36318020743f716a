import Crypto
import HTTPServer
import JSON

/// The Connections service: registering, reading and changing settings, unregistering (reference 3.3 to 3.5).
struct ConnectionRoutes: Sendable {
  let server: UnwiredServer

  /// Answers `VERSION/APPID/…` behind `/odata/applications`.
  func handle(_ request: SandboxRequest, _ path: ArraySlice<String>, _ origin: String, isPublic: Bool) -> ServerResponse
  {
    let (version, application) = (path.first ?? "", path.dropFirst().first ?? "")
    let switches = server.withState { $0.switches }
    guard ["v1", "v2", "v3", "v4"].contains(version) || (version == "latest" && switches.hasLatest) else {
      return .unwired(404, "Unknown version")
    }
    let isAnonymous = isPublic || switches.isAnonymous
    guard let user = server.user(of: request) ?? (isAnonymous ? "anonymous" : nil) else { return .unwiredSignIn }
    guard UnwiredServer.applications[application] != nil else {
      return .unwired(404, "Application \(application) is not registered")
    }
    let call = Call(
      request: request, user: user, application: application,
      writer: ConnectionWriter(
        version: version, root: "\(origin)\(isPublic ? "/public" : "")/odata/applications/\(version)/\(application)/",
        policies: switches.properties), speaksJSON: switches.speaksJSON)
    let rest = Array(path.dropFirst(2))
    switch rest.first ?? "" {
    case "":
      return .unwired(["d": ["EntitySets": ["Connections", "Endpoints", "FeatureVectorPolicies", "Capabilities"]]])
    case "$metadata": return .text(Self.metadata, type: "application/xml; charset=utf-8")
    case "Connections": return request.method == "POST" ? create(call) : .unwired(405, "Method not allowed")
    case "Endpoints":
      return .unwired([
        "d": [
          "results": [
            [
              "EndpointName": .string(application), "RemoteURL": "http://backend.internal:8080/sup101",
              "AnonymousAccess": .bool(isAnonymous),
            ]
          ]
        ]
      ])
    case "FeatureVectorPolicies", "Capabilities": return .unwired(["d": ["results": []]])
    default:
      guard let id = Self.connectionID(in: rest[0]) else { return .unwired(404, "Resource not found") }
      return one(id, rest.dropFirst().first, call)
    }
  }

  private struct Call {
    let request: SandboxRequest
    let user: String
    let application: String
    let writer: ConnectionWriter
    let speaksJSON: Bool

    /// JSON where asked for; version 1 speaks Atom unless told otherwise.
    func answer(_ connection: DeviceConnection, status: Int) -> ServerResponse {
      request.wantsJSON && speaksJSON
        ? .unwired(writer.json(connection), status: status)
        : ServerResponse.text(
          writer.atom(connection, at: request.now), status: status, type: "application/atom+xml; charset=utf-8")
    }
  }

  private static func connectionID(in segment: String) -> String? {
    guard segment.hasPrefix("Connections('"), segment.hasSuffix("')") else { return nil }
    return String(segment.dropFirst(13).dropLast(2))
  }

  // MARK: Registering

  private func create(_ call: Call) -> ServerResponse {
    if server.withState({ $0.switches.hasTwoTemplates }) {
      return .unwired(500, "Two connection templates match application \(call.application)")
    }
    if !call.speaksJSON, call.request.header("Content-Type")?.contains("json") == true {
      return .unwired(415, "Unsupported media type: send application/atom+xml")
    }
    guard let sent = Self.properties(call.request) else { return .unwired(400, "The request body cannot be read") }
    let proposed = call.request.header("X-SMP-APPCID") ?? call.request.header("X-SUP-APPCID")
    guard (proposed ?? "").count <= 128 else { return .unwired(400, "The connection id is too long") }
    let id = proposed ?? Self.makeID()
    let made = server.withState { state -> DeviceConnection? in
      guard state.connections[id] == nil else { return nil }
      var connection = DeviceConnection(
        id: id, application: call.application, user: call.user, created: call.request.now)
      connection.apply(sent, resetsOthers: false, at: call.request.now)
      if call.user == "anonymous" { connection.securityToken = Hex.encode(RandomBytes.make(16)) }
      state.connections[id] = connection
      return connection
    }
    guard let made else { return .unwired(409, "The application connection \(id) is registered already") }
    let session = server.openSession(call.user, at: call.request.now)
    var answer = call.answer(made, status: 201)
    if let token = made.securityToken { answer = answer.adding("X-SUP-SECTOKEN", token) }
    return
      answer
      .adding("Set-Cookie", "X-SMP-SESSID=\(session); Path=/; HttpOnly")
      .adding("Set-Cookie", "X-SMP-APPCID=\(id); Path=/")
      .adding("Location", call.writer.uri(made)).adding("DataServiceVersion", "1.0")
  }

  private static func makeID() -> String {
    let hex = Hex.encode(RandomBytes.make(16))
    let cut = [0, 8, 12, 16, 20, 32]
    return zip(cut, cut.dropFirst()).map { start, end in String(hex.dropFirst(start).prefix(end - start)) }
      .joined(separator: "-")
  }

  /// What a body sets, from JSON or Atom; an empty body sets nothing.
  private static func properties(_ request: SandboxRequest) -> [(name: String, value: ODataValue)]? {
    let bytes = request.body()
    if bytes.isEmpty { return [] }
    if request.header("Content-Type")?.contains("json") == true {
      guard let root = try? JSONDocument(bytes).root, root.kind == .object else { return nil }
      let inner = root["d"].kind == .object ? root["d"] : root
      return inner.members.compactMap { key, value in
        switch value.kind {
        case .null: (key, .null)
        case .bool: (key, .bool(value.bool ?? false))
        case .number: value.int.map { (key, .int($0)) }
        case .string: (key, .string(value.string ?? ""))
        default: nil
        }
      }
    }
    return AtomReader.properties(bytes)?.map { name, value in
      guard let value else { return (name, .null) }
      let initial = DeviceConnection.properties.first { $0.name == name }?.value
      if case .bool? = initial { return (name, .bool(value == "true")) }
      return (name, value.isEmpty ? .null : .string(value))
    }
  }

  // MARK: One connection

  private func one(_ id: String, _ property: String?, _ call: Call) -> ServerResponse {
    if let refusal = server.orderedRefusal() { return refusal }
    guard let connection = server.withState({ $0.connections[id] }), connection.application == call.application else {
      return .unwired(404, "Application connection \(id) is not registered")
    }
    let named = call.request.connectionID
    let method = call.request.meantMethod
    let mayOmit = method == "GET"
    guard named == id || (named == nil && mayOmit), connection.user == call.user, connection.isUsable(by: call.request)
    else {
      return .unwired(403, "The application connection id is missing or belongs to somebody else")
    }
    switch method {
    case "GET", "HEAD":
      guard let property else { return call.answer(connection, status: 200) }
      guard DeviceConnection.properties.contains(where: { $0.name == property }) else {
        return .unwired(404, "Property \(property) not found")
      }
      let inner = call.writer.json(connection)["d"]?[property] ?? .null
      return .unwired(["d": JSONNode.object([.init(key: property, value: inner)])])
    case "PUT", "MERGE", "PATCH": return change(id, call, resetsOthers: method == "PUT")
    case "POST" where call.request.bearerToken != nil: return .empty(204)
    case "DELETE":
      server.withState { state in
        state.connections[id] = nil
        if let session = call.request.cookie("X-SMP-SESSID") { state.sessions[session] = nil }
      }
      return .empty(200)
    default: return .unwired(405, "Method not allowed")
    }
  }

  private func change(_ id: String, _ call: Call, resetsOthers: Bool) -> ServerResponse {
    guard let sent = Self.properties(call.request) else { return .unwired(400, "The request body cannot be read") }
    server.withState { $0.connections[id]?.apply(sent, resetsOthers: resetsOthers, at: call.request.now) }
    return .empty(204)
  }

  private static var metadata: String {
    let properties = DeviceConnection.properties.map { property in
      let kind =
        switch (property.name, property.value) {
        case ("CreatedAt", _): "Edm.DateTime"
        case (_, .bool): "Edm.Boolean"
        case (_, .int): "Edm.Int32"
        default: "Edm.String"
        }
      return "<Property Name=\"\(property.name)\" Type=\"\(kind)\"/>"
    }.joined(separator: "\n")
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx">
      <edmx:DataServices m:DataServiceVersion="2.0" xmlns:m="\(ODataXML.metadataNamespace)">
      <Schema Namespace="applications" xmlns="http://schemas.microsoft.com/ado/2008/09/edm">
      <EntityType Name="Connection"><Key><PropertyRef Name="ApplicationConnectionId"/></Key>
      \(properties)
      </EntityType>
      <EntityContainer Name="Container"><EntitySet Name="Connections" EntityType="applications.Connection"/></EntityContainer>
      </Schema></edmx:DataServices></edmx:Edmx>
      """
  }
}

extension ServerResponse {
  static func unwired(_ node: JSONNode, status: Int = 200) -> ServerResponse {
    ServerResponse(
      status: status, headers: [("Content-Type", "application/json;charset=utf-8"), ("DataServiceVersion", "2.0")],
      body: .bytes(node.encoded()))
  }

  /// An error of the platform itself.
  static func unwired(_ status: Int, _ text: String) -> ServerResponse {
    .unwired(
      ["error": ["code": .string(String(status)), "message": ["lang": "en", "value": .string(text)]]], status: status)
  }

  static let unwiredSignIn = ServerResponse.unwired(401, "Authentication failed")
    .adding("WWW-Authenticate", "Basic realm=\"default\"")
}
