import JSON

/// Members as the bank's answers repeat them.
extension JSONWriter {
  mutating func text(_ key: String, _ value: String?) {
    self.key(key)
    if let value { string(value) } else { null() }
  }

  mutating func bool(_ key: String, _ value: Bool) {
    self.key(key)
    bool(value)
  }

  mutating func money(_ key: String, _ currency: String?, _ amount: String?) {
    self.key(key)
    beginObject()
    text("currency", currency)
    text("amount", amount)
    endObject()
  }

  mutating func routing(_ scheme: String?, _ address: String?) {
    beginObject()
    text("scheme", scheme)
    text("address", address)
    endObject()
  }

  mutating func routing(_ key: String, _ scheme: String?, _ address: String?) {
    self.key(key)
    routing(scheme, address)
  }

  mutating func bank(identifier: String?, name: String?) {
    key("bank")
    beginObject()
    text("national_identifier", identifier)
    text("name", name)
    endObject()
  }
}
