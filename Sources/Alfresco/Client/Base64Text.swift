import FoundationEssentials

enum Base64Text {
  /// Base64 of the text's UTF-8, with padding.
  static func encode(_ text: String) -> String { Data(text.utf8).base64EncodedString() }
}
