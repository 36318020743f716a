import Glibc
import JSON

/// Branches and cash machines; reference obp.md, section 3.14.
extension OBPRoutes {
  mutating func addPlaces() {
    addPlaces("branches", "branch", count: OBPCall.branchCount, missing: "OBP-300010: Branch not found.") {
      call, bank, index, version in call.branch(index, at: bank, version)
    }
    addPlaces("atms", "atm", count: OBPCall.atmCount, missing: "OBP-30009: ATM not found.") {
      call, bank, index, version in call.atm(index, at: bank, version)
    }
  }

  private mutating func addPlaces(
    _ list: String, _ kind: String, count: Int, missing: String,
    _ json: @escaping @Sendable (OBPCall, Bank, Int, OBPVersion) -> JSONNode
  ) {
    for version in [OBPVersion.v140, .v300, .v400, .v510] {
      add(version, "GET", "/banks/BANK_ID/\(list)", .open, "get\(list)", "Get \(list) of a Bank") {
        call throws(OBPError) in
        let bank = try call.theBank()
        let city = call.request.query("city")
        let circle = try call.circle()
        let meant = (0..<count).filter { index in
          let town = call.town(index, of: bank, kind)
          return (city == nil || town.town == city) && circle?.contains(OBPCall.position(index, town)) ?? true
        }
        let shown = meant[try call.placeRange(meant.count)]
        return .ok(.object([.init(key: list, value: .list(Array(shown)) { json(call, bank, $0, version) })]))
      }
      add(version, "GET", "/banks/BANK_ID/\(list)/PLACE_ID", .open, "get\(kind)", "Get one \(kind)") {
        call throws(OBPError) in
        let bank = try call.theBank()
        guard let index = (0..<count).first(where: { "\(bank.id)-\(kind.prefix(1))\($0)" == call["PLACE_ID"] }) else {
          throw OBPError(404, missing)
        }
        return .ok(json(call, bank, index, version))
      }
    }
  }
}

extension OBPCall {
  fileprivate static let branchCount = 14
  fileprivate static let atmCount = 130

  /// `limit` (100 unless told, at most 10,000) and `offset`, from the URL.
  fileprivate func placeRange(_ count: Int) throws(OBPError) -> Range<Int> {
    func number(_ name: String, _ standard: Int) throws(OBPError) -> Int {
      guard let text = request.query(name) else { return standard }
      guard let number = Int(text), number >= 0 else {
        throw OBPError(400, "OBP-10002: Invalid Number. Could not convert value to a number.")
      }
      guard number <= 10_000 else { throw OBPError(400, "OBP-10012: Limit is too large; 10000 is the most.") }
      return number
    }
    let offset = min(try number("offset", 0), count)
    return offset..<min(offset + (try number("limit", 100)), count)
  }

  fileprivate func town(_ index: Int, of bank: Bank, _ kind: String) -> Places.Place {
    data.setting.city.place(bank.index * 1_000 + index + (kind == "atm" ? 500 : 0))
  }

  private func address(_ index: Int, _ town: Places.Place, _ shape: OBPVersion) -> JSONNode {
    let street = data.setting.city.street(index)
    guard shape >= .v300 else {
      return [
        "line_1": .string(street), "line_2": "", "line_3": "", "city": .string(town.town), "state": "",
        "postcode": .string("00\(100 + index)"), "country": .string(town.country),
      ]
    }
    return [
      "line_1": .string(street), "line_2": "", "line_3": "", "city": .string(town.town), "county": "", "state": "",
      "postcode": .string("00\(100 + index)"), "country_code": .string(town.country),
    ]
  }

  private static let meta: JSONNode = ["license": ["id": "ODbL-1.0", "name": "Open Database License"]]

  private static let days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

  private static func hours(_ day: Int) -> JSONNode {
    day < 5
      ? ["opening_time": "09:00", "closing_time": "16:30"] : ["opening_time": "", "closing_time": ""]
  }

  /// Scattered by some hundred metres around the town's centre.
  fileprivate static func position(_ index: Int, _ town: Places.Place) -> (latitude: Double, longitude: Double) {
    (town.latitude + Double(index % 17) / 1_000, town.longitude - Double(index % 13) / 1_000)
  }

  private func location(_ index: Int, _ town: Places.Place) -> JSONNode {
    let position = OBPCall.position(index, town)
    return ["latitude": .degrees(position.latitude), "longitude": .degrees(position.longitude)]
  }

  /// Around which point places are wanted; all three parameters belong together.
  fileprivate func circle() throws(OBPError) -> Circle? {
    let texts = ["withinMetersOf", "nearLatitude", "nearLongitude"].map { request.query($0) }
    guard texts.contains(where: { $0 != nil }) else { return nil }
    let numbers = texts.map { $0.flatMap { Double($0) } }
    guard let metres = numbers[0], let latitude = numbers[1], let longitude = numbers[2] else {
      throw OBPError(400, "OBP-10002: Invalid Number. Could not convert value to a number.")
    }
    return Circle(metres: metres, latitude: latitude, longitude: longitude)
  }

  fileprivate struct Circle: Sendable {
    let metres: Double
    let latitude: Double
    let longitude: Double

    /// On a flat map around the middle, which is good enough within a country.
    func contains(_ place: (latitude: Double, longitude: Double)) -> Bool {
      let metresOfDegree = 111_195.0
      let north = (place.latitude - latitude) * metresOfDegree
      let east = (place.longitude - longitude) * metresOfDegree * cos(latitude * .pi / 180)
      return (north * north + east * east).squareRoot() <= metres
    }
  }

  fileprivate func branch(_ index: Int, at bank: Bank, _ shape: OBPVersion) -> JSONNode {
    let town = town(index, of: bank, "branch")
    var node: JSONNode = [
      "id": .string("\(bank.id)-b\(index)"), "bank_id": .string(bank.id),
      "name": .string("\(town.town) \(data.setting.city.words(1, "bank/branch", index: index))"),
      "address": address(index, town, shape), "location": location(index, town), "meta": Self.meta,
    ]
    guard shape >= .v300 else {
      node["lobby"] = ["hours": "Mo-Fr 9-16"]
      node["drive_up"] = ["hours": "Mo-Fr 9-16"]
      return node
    }
    node["lobby"] = .object(Self.days.enumerated().map { .init(key: $1, value: [Self.hours($0)]) })
    node["drive_up"] = .object(Self.days.enumerated().map { .init(key: $1, value: Self.hours($0)) })
    node["branch_routing"] = ["scheme": "BranchNumber", "address": .string(String(101 + index))]
    node["is_accessible"] = index % 3 == 0 ? "" : index % 3 == 1 ? "true" : "false"
    node["accessibleFeatures"] = index % 3 == 1 ? "ramp" : ""
    node["branch_type"] = "Full service"
    node["more_info"] = ""
    node["phone_number"] = .string("\(town.dialing) 9 \(index)")
    return node
  }

  fileprivate func atm(_ index: Int, at bank: Bank, _ shape: OBPVersion) -> JSONNode {
    let town = town(index, of: bank, "atm")
    var node: JSONNode = [
      "id": .string("\(bank.id)-a\(index)"), "bank_id": .string(bank.id), "name": .string("\(town.town) \(index)"),
      "address": address(500 + index, town, shape), "location": location(index, town), "meta": Self.meta,
    ]
    guard shape >= .v300 else { return node }
    for (day, name) in Self.days.enumerated() { node[name] = Self.hours(day) }
    node["is_accessible"] = index % 2 == 0 ? "true" : ""
    node["located_at"] = .string(data.setting.city.company(index))
    node["more_info"] = ""
    node["has_deposit_capability"] = index % 2 == 0 ? "false" : "true"
    guard shape >= .v400 else { return node }
    for list in ["supported_languages", "services", "accessibility_features", "notes", "location_categories"] {
      node[list] = []
    }
    node["supported_currencies"] = .list(bank.currencies) { .string($0) }
    node["minimum_withdrawal"] = "5"
    for text in ["branch_identification", "site_identification", "site_name"] { node[text] = "" }
    for fee in ["cash_withdrawal_national_fee", "cash_withdrawal_international_fee", "balance_inquiry_fee"] {
      node[fee] = "0"
    }
    guard shape >= .v510 else { return node }
    node["atm_type"] = ""
    node["phone"] = ""
    node["attributes"] = []
    return node
  }
}
