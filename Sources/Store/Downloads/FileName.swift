/// Names that servers give to files, made safe to use as one name in a directory that a person chose.
package enum FileName {
  /// The last component alone, without control characters, never hidden, never `..`, at most 200 bytes long.
  package static func safe(_ name: String) -> String {
    var text = ""
    for scalar in name.unicodeScalars {
      switch scalar {
      case "/", "\\": text = ""
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: text.append("_")
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    while let first = text.first, first == "." || first == "-" || first == " " { text.removeFirst() }
    while let last = text.last, last == " " { text.removeLast() }
    return text.isEmpty ? "download" : shortened(text)
  }

  /// The name, or the name with a number before its extension, so that no file of the directory has it.
  package static func free(_ name: String, in directory: String) -> String {
    guard Files.exists(FilePath.joined(directory, name)) else { return name }
    let (stem, suffix) = parts(name)
    var number = 2
    while Files.exists(FilePath.joined(directory, "\(stem) (\(number))\(suffix)")) { number += 1 }
    return "\(stem) (\(number))\(suffix)"
  }

  /// `report` and `.pdf`; a name without an extension has an empty one.
  package static func parts(_ name: String) -> (stem: String, suffix: String) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }

  private static func shortened(_ name: String) -> String {
    guard name.utf8.count > 200 else { return name }
    var (stem, suffix) = parts(name)
    if suffix.utf8.count > 20 { (stem, suffix) = (name, "") }
    while stem.utf8.count + suffix.utf8.count > 200 { stem.removeLast() }
    return stem + suffix
  }
}
