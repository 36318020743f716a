/// What a vault demands of its PIN and of those who try it. The fields and their first values are DataVault's (SMP 3 SDK).
public struct VaultPolicy: Sendable, Hashable {
  /// Whether a vault may be made without a PIN.
  public var allowsDefaultPIN = true
  public var minLength = 8
  public var needsDigit = false
  public var needsUpper = false
  public var needsLower = false
  public var needsSpecial = false
  public var minUniqueCharacters = 0
  /// Days until a PIN must be changed; 0 for never.
  public var expirationDays = 0
  /// Seconds without use until the vault locks itself; 0 for never.
  public var lockTimeout = 300
  /// Wrong PINs after which the vault is deleted for good; 0 for no limit.
  public var retryLimit = 20

  public init() {}

  /// What a PIN must have, in words for somebody who chooses one; empty when anything will do.
  public var demands: [String] {
    var demands: [String] = []
    if minLength > 0 { demands.append("at least \(minLength) characters") }
    if minUniqueCharacters > 1 { demands.append("\(minUniqueCharacters) different ones") }
    let classes = [
      (needsDigit, "a digit"), (needsUpper, "a capital letter"), (needsLower, "a small letter"),
      (needsSpecial, "a special character"),
    ]
    return demands + classes.filter(\.0).map(\.1)
  }

  /// Everything the PIN fails at, in words; empty when it will do.
  public func objections(to pin: Secret?) -> [String] {
    guard let text = pin?.reveal(), !text.isEmpty else {
      return allowsDefaultPIN ? [] : ["a PIN is required"]
    }
    let scalars = text.unicodeScalars
    var objections: [String] = []
    if text.count < minLength { objections.append("it must have at least \(minLength) characters") }
    if needsDigit, !scalars.contains(where: { $0.properties.numericType != nil }) {
      objections.append("a digit is missing")
    }
    if needsUpper, !scalars.contains(where: \.properties.isUppercase) {
      objections.append("a capital letter is missing")
    }
    if needsLower, !scalars.contains(where: \.properties.isLowercase) { objections.append("a small letter is missing") }
    if needsSpecial, scalars.allSatisfy({ $0.properties.isAlphabetic || $0.properties.numericType != nil }) {
      objections.append("a special character is missing")
    }
    if Set(text).count < minUniqueCharacters {
      objections.append("at least \(minUniqueCharacters) different characters are needed")
    }
    return objections
  }
}
