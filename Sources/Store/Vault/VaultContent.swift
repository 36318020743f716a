/// Something in a vault, without its value.
package struct VaultContent: Sendable, Hashable {
  package enum Kind: UInt8, Sendable { case string = 0, bytes = 1 }

  package let name: String
  package let kind: Kind

  package init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}
