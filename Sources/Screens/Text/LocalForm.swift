import Model

/// How numbers and dates are written where the person lives. Screens follow it; what scripts and forms take is exact and
/// the same everywhere.
package struct LocalForm: Sendable, Hashable {
  package var decimal: Character
  /// Between thousands.
  package var group: Character
  /// Twelve short names.
  package var months: [String]

  package init(
    decimal: Character = ".", group: Character = ",", months: [String] = LocalForm.english
  ) {
    self.decimal = decimal
    self.group = group
    self.months = months.count == 12 ? months : LocalForm.english
  }

  package static let english = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// What holds for all that is drawn from here on; whoever starts the browser sets it.
  @TaskLocal package static var current = LocalForm()

  /// The month's name in exactly three columns, so that dates line up.
  func month(_ number: Int) -> String { months[number - 1].prefix(columns: 3).padded(columns: 3) }
}
