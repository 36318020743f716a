import Glibc
import Model
import Screens

extension LocalForm {
  /// The process's locale as the C library knows it (`LC_ALL` over `LC_NUMERIC` and `LC_TIME` over `LANG`); English where
  /// it says nothing, or says it in another encoding than UTF-8.
  package static func system() -> LocalForm {
    setlocale(LC_NUMERIC, "")
    setlocale(LC_TIME, "")
    setlocale(LC_CTYPE, "")
    defer { setlocale(LC_NUMERIC, "C") }
    guard text(Int32(CODESET)) == "UTF-8" else { return LocalForm() }
    let months = (0..<12).map { text(Int32(ABMON_1) + $0).filter { $0 != "." } }
    let decimal = text(Int32(RADIXCHAR)).first ?? "."
    // What separates thousands in French is a space too narrow for terminals to agree on.
    let group = text(Int32(THOUSEP)).first.map { $0.isWhitespace ? " " : $0 }
    return LocalForm(
      decimal: decimal, group: group ?? (decimal == "," ? "." : ","), months: months.contains("") ? english : months)
  }

  private static func text(_ item: nl_item) -> String { nl_langinfo(item).map { String(cString: $0) } ?? "" }
}
