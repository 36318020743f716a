import JSON

/// Collections of endpoints that users keep, their favourites among them; reference obp.md, sections 3.14 and 7.2.
extension OBPRoutes {
  mutating func addCollections() {
    let all = "/my/api-collections"
    add(.v400, "GET", all, .user, "getMyApiCollections", "Get My Api Collections") { call throws(OBPError) in
      let user = try call.signedIn()
      let held = call.state.read { $0.collections.filter { $0.user == user.id } }
      return .ok(["api_collections": .list(held, OBPCall.json)])
    }
    add(.v400, "POST", all, .user, "createMyApiCollection", "Create My Api Collection") { call throws(OBPError) in
      .created(OBPCall.json(try call.createCollection()))
    }
    let endpoints = all + "/API_COLLECTION_NAME/api-collection-endpoints"
    add(.v400, "GET", endpoints, .user, "getMyApiCollectionEndpoints", "Get My Api Collection Endpoints") {
      call throws(OBPError) in
      let collection = try call.theCollection()
      return .ok(["api_collection_endpoints": .list(collection.endpoints) { OBPCall.json($0, in: collection) }])
    }
    add(.v400, "POST", endpoints, .user, "createMyApiCollectionEndpoint", "Create My Api Collection Endpoint") {
      call throws(OBPError) in .created(try call.addEndpoint())
    }
    let one = endpoints + "/OPERATION_ID"
    add(.v400, "DELETE", one, .user, "deleteMyApiCollectionEndpoint", "Delete My Api Collection Endpoint") {
      call throws(OBPError) in
      let id = call["OPERATION_ID"]
      try call.change(try call.theCollection()) { collection throws(OBPError) in
        guard let place = collection.endpoints.firstIndex(where: { $0.operation == id }) else {
          throw OBPError(404, "OBP-30082: ApiCollectionEndpoint not found. Current OPERATION_ID is \(id)")
        }
        collection.endpoints.remove(at: place)
      }
      return .deleted
    }
    add(.v400, "GET", "/api-collections/featured", .open, "getFeaturedApiCollections", "Get Featured Api Collections") {
      _ in .ok(["api_collections": []])
    }
  }
}

extension OBPCall {
  fileprivate func createCollection() throws(OBPError) -> BankState.Collection {
    let type = "PostApiCollectionJson400"
    let user = try signedIn()
    let body = try object(type)
    let made = BankState.Collection(
      id: state.makeID(), user: user.id, name: try text("api_collection_name", of: body, type),
      isSharable: body["is_sharable"].bool ?? false, description: body["description"].string ?? "")
    let isNew = state.write { contents -> Bool in
      guard !contents.collections.contains(where: { $0.user == user.id && $0.name == made.name }) else { return false }
      contents.collections.append(made)
      return true
    }
    guard isNew else { throw OBPError(400, "OBP-30086: ApiCollection already exists. Current name is \(made.name)") }
    return made
  }

  fileprivate func theCollection() throws(OBPError) -> BankState.Collection {
    let (name, user) = (self["API_COLLECTION_NAME"], try signedIn())
    guard let found = state.read({ $0.collections.first { $0.user == user.id && $0.name == name } }) else {
      throw OBPError(404, "OBP-30079: ApiCollection not found. Current API_COLLECTION_NAME is \(name)")
    }
    return found
  }

  fileprivate func change(
    _ collection: BankState.Collection, _ body: (inout BankState.Collection) throws(OBPError) -> Void
  ) throws(OBPError) {
    var changed = collection
    try body(&changed)
    state.write { [changed] contents in
      guard let place = contents.collections.firstIndex(where: { $0.id == changed.id }) else { return }
      contents.collections[place] = changed
    }
  }

  fileprivate func addEndpoint() throws(OBPError) -> JSONNode {
    let type = "PostApiCollectionEndpointJson400"
    let collection = try theCollection()
    let operation = try text("operation_id", of: try object(type), type)
    guard OBPRoutes.standard.all.contains(where: { $0.operationID == operation }) else {
      throw OBPError(400, "OBP-30083: Invalid operation_id. Current operation_id is \(operation)")
    }
    let made = BankState.Collection.Endpoint(id: state.makeID(), operation: operation)
    try change(collection) { collection throws(OBPError) in
      guard !collection.endpoints.contains(where: { $0.operation == operation }) else {
        throw OBPError(400, "OBP-30084: ApiCollectionEndpoint already exists. Current OPERATION_ID is \(operation)")
      }
      collection.endpoints.append(made)
    }
    return Self.json(made, in: collection)
  }

  fileprivate static func json(_ collection: BankState.Collection) -> JSONNode {
    [
      "api_collection_id": .string(collection.id), "user_id": .string(collection.user),
      "api_collection_name": .string(collection.name), "is_sharable": .bool(collection.isSharable),
      "description": .string(collection.description),
    ]
  }

  fileprivate static func json(
    _ endpoint: BankState.Collection.Endpoint, in collection: BankState.Collection
  ) -> JSONNode {
    [
      "api_collection_endpoint_id": .string(endpoint.id), "api_collection_id": .string(collection.id),
      "operation_id": .string(endpoint.operation),
    ]
  }
}
