import Model

/// The forms for PINs. What is typed is never shown, and stays a secret from the field on.
enum VaultForm {
  case create(VaultInfo)
  case unlock(VaultInfo)
  case changePIN(VaultInfo)

  /// - Parameter order: Under which the order goes out.
  func dialog(_ order: RequestID) -> FormDialog {
    switch self {
    case .create(let info):
      return FormDialog(
        title: "Create the vault “\(info.name)”",
        message: "It keeps passwords, tokens and keys encrypted. A forgotten PIN cannot be recovered. \(rules(info))",
        fields: newPIN(info), submitTitle: "Create"
      ) { values in
        checked(values, info) { [.ask(order, .vault(.create($0)))] }
      }
    case .unlock(let info):
      return FormDialog(
        title: "Unlock the vault “\(info.name)”", message: warning(info), fields: [FormField("old", "PIN", .secret)],
        submitTitle: "Unlock"
      ) { [.ask(order, .vault(.unlock($0["old"] ?? Secret(""))))] }
    case .changePIN(let info):
      let old = info.hasNoPIN ? [] : [FormField("old", "PIN as it is", .secret)]
      return FormDialog(
        title: "Change the PIN", message: [warning(info), rules(info)].filter { !$0.isEmpty }.joined(separator: " "),
        fields: old + newPIN(info), submitTitle: "Change"
      ) { values in
        checked(values, info) { [.ask(order, .vault(.changePIN(old: values["old"] ?? Secret(""), new: $0)))] }
      }
    }
  }

  private func newPIN(_ info: VaultInfo) -> [FormField] {
    [FormField("pin", "New PIN", .secret), FormField("again", "The same again", .secret)]
  }

  private func rules(_ info: VaultInfo) -> String {
    info.policy.demands.isEmpty ? "" : "It needs \(info.policy.demands.joined(separator: ", "))."
  }

  private func warning(_ info: VaultInfo) -> String {
    guard let left = info.triesLeft, left < info.policy.retryLimit || left <= 3 else { return "" }
    let tries = left == 1 ? "1 try is left" : "\(left) tries are left"
    return left <= 3 ? "\(tries): when none is, the vault and everything in it is deleted." : "\(tries)."
  }

  /// The form again with what is wrong, or what follows when nothing is.
  private func checked(_ values: [String: Secret], _ info: VaultInfo, _ then: (Secret) -> [Effect]) -> [Effect] {
    let pin = values["pin"] ?? Secret("")
    let objections = info.policy.objections(to: pin)
    if pin != values["again"] { return [.say(Message(.bad, "The two PINs are not the same; nothing was changed"))] }
    guard objections.isEmpty else {
      return [.say(Message(.bad, "The PIN will not do: \(objections.joined(separator: ", "))"))]
    }
    return then(pin)
  }
}
