import JSON

/// Banks; reference obp.md, section 3.2.
extension OBPRoutes {
  mutating func addBanks() {
    add(.v121, "GET", "/banks", .open, isOld: false, "getBanks", "Get Banks") { _ in
      .ok(["banks": .list(Bank.all) { $0.oldJSON }])
    }
    add(.v121, "GET", "/banks/BANK_ID", .open, "bankById", "Get Bank") { call throws(OBPError) in
      .ok(try call.theBank().oldJSON)
    }
    add(.v300, "GET", "/banks/BANK_ID", .open, "bankById", "Get Bank") { call throws(OBPError) in
      .ok(try call.theBank().json(.v300))
    }
    for version in [OBPVersion.v400, .v600] {
      add(version, "GET", "/banks", .open, "getBanks", "Get Banks") { _ in
        .ok(["banks": .list(Bank.all) { $0.json(version) }])
      }
    }
    for version in [OBPVersion.v400, .v500, .v600] {
      add(version, "GET", "/banks/BANK_ID", .open, "getBank", "Get Bank") { call throws(OBPError) in
        .ok(try call.theBank().json(version))
      }
    }
    add(.v510, "GET", "/banks/BANK_ID/currencies", .open, "getCurrenciesAtBank", "Get Currencies at a Bank") {
      call throws(OBPError) in
      .ok(["currencies": .list(try call.theBank().currencies) { ["alphanumeric_code": .string($0)] }])
    }
  }
}

extension Bank {
  /// The shape of v1.2.1, and of lists before v4.0.0.
  fileprivate var oldJSON: JSONNode {
    [
      "id": .string(id), "short_name": .string(shortName), "full_name": .string(fullName), "logo": .text(logo),
      "website": .text(website), "bank_routing": ["scheme": "BIC", "address": .string(bic)],
    ]
  }

  fileprivate func json(_ version: OBPVersion) -> JSONNode {
    var node: JSONNode = [
      version >= .v600 ? "bank_id" : "id": .string(id),
      version >= .v500 ? "bank_code" : "short_name": .string(shortName), "full_name": .string(fullName),
      "logo": .text(logo), "website": .text(website),
      "bank_routings": [
        ["scheme": "BIC", "address": .string(bic)], ["scheme": "OBP", "address": .string(id)],
      ],
    ]
    if version >= .v400, index % 2 == 0 { node["attributes"] = [["name": "region", "value": .string(country)]] }
    return node
  }
}
