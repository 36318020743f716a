import JSON

/// Products and exchange rates; reference obp.md, section 3.14.
extension OBPRoutes {
  mutating func addProducts() {
    for version in [OBPVersion.v140, .v210, .v310, .v400] {
      add(version, "GET", "/banks/BANK_ID/products", .open, "getProducts", "Get Products") { call throws(OBPError) in
        let bank = try call.theBank()
        return .ok(["products": .list(BankProduct.all) { call.json($0, bank, version) }])
      }
      add(version, "GET", "/banks/BANK_ID/products/PRODUCT_CODE", .open, "getProduct", "Get Product") {
        call throws(OBPError) in
        let bank = try call.theBank()
        guard let product = BankProduct.all.first(where: { $0.code == call["PRODUCT_CODE"] }) else {
          throw OBPError(404, "OBP-30011: Product not found. Please specify a valid value for PRODUCT_CODE.")
        }
        return .ok(call.json(product, bank, version))
      }
    }
    add(.v400, "GET", "/banks/BANK_ID/products/PRODUCT_CODE/fees", .open, "getProductFees", "Get Product Fees") {
      call throws(OBPError) in
      let bank = try call.theBank()
      guard let product = BankProduct.all.first(where: { $0.code == call["PRODUCT_CODE"] }) else {
        throw OBPError(404, "OBP-30011: Product not found. Please specify a valid value for PRODUCT_CODE.")
      }
      return .ok(["product_fees": [call.fee(product, bank)]])
    }
    add(.v220, "GET", "/banks/BANK_ID/fx/FROM_CURRENCY/TO_CURRENCY", .open, "getCurrentFxRate", "Get Current FxRate") {
      call throws(OBPError) in try call.rate()
    }
  }
}

private struct BankProduct: Sendable {
  let code: String, name: String, category: String, details: String

  static let all = [
    BankProduct(code: "CUR1", name: "Current account", category: "Current", details: "Pays and is paid."),
    BankProduct(code: "SAV2", name: "Savings account", category: "Savings", details: "Grows, slowly."),
    BankProduct(code: "BIZ1", name: "企業口座 – business", category: "Business", details: "For companies of any size."),
    BankProduct(code: "CRD1", name: "Credit line", category: "Credit", details: "Money of tomorrow, today."),
  ]
}

extension OBPCall {
  fileprivate func json(_ product: BankProduct, _ bank: Bank, _ shape: OBPVersion) -> JSONNode {
    let url = "https://products.example/\(product.code)"
    let meta: JSONNode = ["license": ["id": "ODbL-1.0", "name": "Open Database License"]]
    guard shape < .v400 else {
      return [
        "bank_id": .string(bank.id), "product_code": .string(product.code), "parent_product_code": "",
        "name": .string(product.name), "more_info_url": .string(url),
        "terms_and_conditions_url": .string(url + "/terms"),
        "description": .string(product.details), "meta": meta, "attributes": [], "fees": [fee(product, bank)],
      ]
    }
    var node: JSONNode = [
      "code": .string(product.code), "name": .string(product.name), "category": .string(product.category),
      "family": "Retail", "super_family": "Banking", "more_info_url": .string(url), "meta": meta,
    ]
    if shape >= .v210 {
      node["bank_id"] = .string(bank.id)
      node["details"] = .string(product.details)
      node["description"] = .string(product.details)
    }
    if shape >= .v310 {
      node["parent_product_code"] = ""
      node["product_attributes"] = []
    }
    return node
  }

  /// The one place where OBP writes an amount as a number.
  fileprivate func fee(_ product: BankProduct, _ bank: Bank) -> JSONNode {
    var random = data.setting.random("bank/fee/\(bank.id)/\(product.code)")
    return [
      "product_fee_id": .string(random.uuid()), "name": "Monthly fee", "is_active": true, "more_info": "",
      "value": [
        "currency": .string(bank.currencies[0]), "amount": .number("\(random.below(9)).5"), "frequency": "MONTHLY",
        "type": "FEE",
      ],
    ]
  }

  fileprivate func rate() throws(OBPError) -> OBPReply {
    let bank = try theBank()
    let codes = [self["FROM_CURRENCY"], self["TO_CURRENCY"]]
    guard codes.allSatisfy(BankCurrency.isKnown) else {
      throw OBPError(400, "OBP-10003: Invalid Currency Value. It should be three letters ISO Currency Code.")
    }
    guard let from = BankCurrency.named(codes[0]), let to = BankCurrency.named(codes[1]) else {
      throw OBPError(400, "OBP-10004: ISO Currency code not supported. No rate from \(codes[0]) to \(codes[1]).")
    }
    let (fromUnit, toUnit) = (from.perUnit, to.perUnit)
    return .ok([
      "bank_id": .string(bank.id), "from_currency_code": .string(from.code), "to_currency_code": .string(to.code),
      "conversion_value": .double(toUnit / fromUnit), "inverse_conversion_value": .double(fromUnit / toUnit),
      "effective_date": .string("\(DoorSetting.present.isoDate)T00:00:00Z"),
    ])
  }
}

extension BankCurrency {
  /// Whole units that buy what a euro buys.
  fileprivate var perUnit: Double {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return Double(perEuroCent) / 10 / scale
  }
}
