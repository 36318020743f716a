import Model
import Synchronization

/// What a person decided on taken names, once for all of an upload.
final class ClashMemory: Sendable {
  private let decided = Mutex<UploadRequest.Clash?>(nil)

  var forAll: UploadRequest.Clash? { decided.withLock { $0 } }

  static func choices(isMany: Bool) -> [FormField.Choice] {
    var choices = [
      FormField.Choice("minor", "New version, minor"), FormField.Choice("major", "New version, major"),
      FormField.Choice("both", "Keep both"),
    ]
    if isMany {
      choices += [
        FormField.Choice("out", "Leave this one out"), FormField.Choice("all-minor", "New versions of all that follow"),
        FormField.Choice("all-both", "Keep both of all that follow"),
        FormField.Choice("all-out", "Leave out all that are there"),
      ]
    }
    return choices + [FormField.Choice("cancel", "Cancel")]
  }

  func take(_ word: String, _ operation: String) throws(ServiceError) -> UploadRequest.Clash {
    let isForAll = word.hasPrefix("all-")
    let clash: UploadRequest.Clash
    switch isForAll ? String(word.dropFirst(4)) : word {
    case "minor": clash = .newVersion(isMajor: false)
    case "major": clash = .newVersion(isMajor: true)
    case "both": clash = .keepBoth
    case "out": clash = .leaveOut
    default: throw .cancelled(operation)
    }
    if isForAll { decided.withLock { $0 = clash } }
    return clash
  }
}
