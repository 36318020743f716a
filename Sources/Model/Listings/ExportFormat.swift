/// A form in which a kind of back end writes rows for other programs, beside CSV and JSON, which all of them have.
public struct ExportFormat: Sendable, Identifiable {
  /// As scripts name it: `ofx`.
  public let id: String
  public let title: String
  /// Ends the file's name, without the dot.
  public let suffix: String
  /// Writes all rows of a listing into one file; throws when the rows lack what the form demands.
  public let encode: @Sendable (Listing) throws(ServiceError) -> [UInt8]

  public init(
    id: String, title: String, suffix: String,
    encode: @escaping @Sendable (Listing) throws(ServiceError) -> [UInt8]
  ) {
    self.id = id
    self.title = title
    self.suffix = suffix
    self.encode = encode
  }
}
