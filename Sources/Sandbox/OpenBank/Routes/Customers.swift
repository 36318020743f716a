import JSON

/// Customers; reference obp.md, section 3.13.
extension OBPRoutes {
  mutating func addCustomers() {
    add(.v140, "GET", "/banks/BANK_ID/customer", .user, "getCustomer", "Get Customer of current User") {
      call throws(OBPError) in
      let bank = try call.theBank()
      guard call.isCustomer(try call.signedIn(), of: bank) else {
        throw OBPError(400, "OBP-30002: Customer not found. Please specify a valid value for CUSTOMER_ID.")
      }
      return .ok(call.customer(0, at: bank, .v140))
    }
    add(.v140, "GET", "/banks/BANK_ID/customer/messages", .user, "getCustomersMessages", "Get Customer Messages") {
      call throws(OBPError) in
      let bank = try call.theBank()
      return .ok(["messages": .list(Array(0..<3)) { call.message($0, at: bank) }])
    }
    for (version, path) in [
      (OBPVersion.v210, "/users/current/customers"), (.v300, "/users/current/customers"), (.v500, "/my/customers"),
    ] {
      add(version, "GET", path, .user, "getCustomersAtAnyBank", "Get My Customers") { call throws(OBPError) in
        let user = try call.signedIn()
        let banks = Bank.holding.filter { call.isCustomer(user, of: $0) }
        return .ok(["customers": .list(banks) { call.customer(0, at: $0, version) }])
      }
    }
    add(.v500, "GET", "/banks/BANK_ID/my/customers", .user, "getMyCustomersAtBank", "Get My Customers at Bank") {
      call throws(OBPError) in
      let bank = try call.theBank()
      let isOne = call.isCustomer(try call.signedIn(), of: bank)
      return .ok(["customers": isOne ? [call.customer(0, at: bank, .v500)] : []])
    }
    add(.v510, "GET", "/users/current/customers/customer_ids", .user, "getCustomerIds", "Get My Customer Ids") {
      call throws(OBPError) in
      let user = try call.signedIn()
      let banks = Bank.holding.filter { call.isCustomer(user, of: $0) }
      return .ok(["customers": .list(banks) { ["id": .string(call.customerID(0, at: $0))] }])
    }
    addManagedCustomers()
  }

  private mutating func addManagedCustomers() {
    for (path, member) in [("addresses", "addresses"), ("tax-residences", "tax_residence")] {
      let all = "/banks/BANK_ID/customers/CUSTOMER_ID/\(path)"
      let role = OBPRoute.Access.roles(["CanGetCustomer", "CanGetCustomerAddress", "CanGetTaxResidence"])
      add(.v310, "GET", all, role, "getCustomer_\(member)", "Get \(path) of a Customer") { call throws(OBPError) in
        let bank = try call.theBank()
        let index = try call.theCustomer(at: bank)
        return .ok([member: member == "addresses" ? call.addresses(index, at: bank) : call.residences(index, at: bank)])
      }
    }
    let roles = OBPRoute.Access.roles(["CanGetCustomer", "CanGetCustomersAtOneBank"])
    for (version, path) in [(OBPVersion.v400, "customers"), (.v500, "customers"), (.v500, "customers-minimal")] {
      add(version, "GET", "/banks/BANK_ID/\(path)", roles, "getCustomersAtOneBank", "Get Customers at Bank") {
        call throws(OBPError) in
        let bank = try call.theBank()
        let offset = max(0, Int(call.request.query("offset") ?? "") ?? 0)
        let limit = max(1, Int(call.request.query("limit") ?? "") ?? 50)
        let range = min(offset, OBPCall.customerCount)..<min(offset + limit, OBPCall.customerCount)
        return .ok(["customers": .list(Array(range)) { call.customer($0, at: bank, version) }])
      }
    }
    add(.v310, "GET", "/banks/BANK_ID/customers/CUSTOMER_ID", roles, "getCustomerByCustomerId", "Get Customer") {
      call throws(OBPError) in
      let bank = try call.theBank()
      return .ok(call.customer(try call.theCustomer(at: bank), at: bank, .v310))
    }
  }
}

extension OBPCall {
  /// Customers of each bank; the first is the sandbox's host.
  fileprivate static let customerCount = 120

  /// Whether it is the number of this user as a customer of the bank.
  func isOwnCustomer(_ id: String, of user: BankUser, at bank: Bank) -> Bool {
    isCustomer(user, of: bank) && customerID(0, at: bank) == id
  }

  fileprivate func isCustomer(_ user: BankUser, of bank: Bank) -> Bool {
    user == data.owner && bank.index < Bank.holding.count
  }

  fileprivate func theCustomer(at bank: Bank) throws(OBPError) -> Int {
    let index = (0..<Self.customerCount).first { customerID($0, at: bank) == self["CUSTOMER_ID"] }
    guard let index else {
      throw OBPError(404, "OBP-30046: Customer not found. Please specify a valid value for CUSTOMER_ID.")
    }
    return index
  }

  fileprivate func addresses(_ index: Int, at bank: Bank) -> JSONNode {
    var random = data.setting.random("bank/address/\(bank.id)", index: index)
    return [
      [
        "customer_address_id": .string(random.uuid()), "customer_id": .string(customerID(index, at: bank)),
        "line_1": .string("Quay \(random.number(in: 1...90))"), "line_2": "", "line_3": "", "city": "Harbour",
        "county": "",
        "state": "", "postcode": .string(random.text(5, from: "0123456789")), "country_code": .string(bank.country),
        "tags": ["mailing"], "status": "OK", "insert_date": .string(DoorSetting.present.adding(days: -200).iso),
      ]
    ]
  }

  fileprivate func residences(_ index: Int, at bank: Bank) -> JSONNode {
    var random = data.setting.random("bank/residence/\(bank.id)", index: index)
    return [
      [
        "domain": .string(bank.country), "tax_number": .string(random.text(11, from: "0123456789")),
        "tax_residence_id": .string(random.uuid()),
      ]
    ]
  }

  fileprivate func customerID(_ index: Int, at bank: Bank) -> String {
    var random = data.setting.random("bank/customer/\(bank.id)", index: index)
    return random.uuid()
  }

  fileprivate func customer(_ index: Int, at bank: Bank, _ shape: OBPVersion) -> JSONNode {
    var random = data.setting.random("bank/customer/\(bank.id)", index: index)
    let id = random.uuid()
    let person = data.setting.city.person(index == 0 ? 0 : 300 + bank.index * Self.customerCount + index)
    let isText = shape == .v300 || shape >= .v600
    var node: JSONNode = shape >= .v210 ? ["bank_id": .string(bank.id)] : [:]
    let common: JSONNode = [
      "customer_id": .string(id), "customer_number": .string(random.text(9, from: "0123456789")),
      "legal_name": .string(person.name), "mobile_phone_number": .string(person.phone), "email": .string(person.email),
      "face_image": [
        "url": .string("https://faces.example/\(person.login).jpg"), "date": .string(DoorSetting.present.iso),
      ],
      "date_of_birth": .string(isText ? person.born : "\(person.born)T00:00:00Z"),
      "relationship_status": .string(random.pick(["single", "married", "widowed"])), "dependants": 0,
      "dob_of_dependants": [],
    ]
    let later: JSONNode = [
      "highest_education_attained": .string(random.pick(["School", "Bachelor", "Master", "Apprenticeship"])),
      "employment_status": .string(person.occupation), "kyc_status": index % 5 == 4 ? nil : true,
      "last_ok_date": .string(DoorSetting.present.adding(days: -random.below(300)).iso),
    ]
    let credit: JSONNode = [
      "credit_rating": ["rating": "OBP", "source": "OBP"], "credit_limit": .money(bank.currencies[0], "1000"),
    ]
    let titles: JSONNode = [
      "title": "", "branch_id": .string("\(bank.id)-b1"), "name_suffix": "",
    ]
    node.append(common)
    if shape >= .v210 && index % 3 != 2 { node.append(credit) }
    node.append(later)
    if shape >= .v300 { node.append(titles) }
    if shape >= .v310 { node["customer_attributes"] = [] }
    return node
  }

  fileprivate func message(_ index: Int, at bank: Bank) -> JSONNode {
    var random = data.setting.random("bank/message/\(bank.id)", index: index)
    return [
      "id": .string(random.uuid()), "date": .string(DoorSetting.present.adding(days: -index * 9).iso),
      "message": .string(data.setting.city.text(sentences: 2, "bank/message/\(bank.id)", index: index)),
      "from_department": "Open Bank", "from_person": .string(data.setting.city.person(900 + index).name),
    ]
  }
}

extension JSONNode {
  /// Adds another object's members.
  fileprivate mutating func append(_ other: JSONNode) {
    guard case .object(let members) = self, case .object(let more) = other else { return }
    self = .object(members + more)
  }
}
