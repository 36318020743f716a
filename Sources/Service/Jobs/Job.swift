import Model

/// Something that takes a while and goes on whatever screen is open.
package struct Job: Sendable, Identifiable {
  package enum Kind: String, Sendable { case download, upload, loading, export, sync }

  package enum State: Sendable {
    case waiting, running, paused
    /// Where the result is, when it is a file or has a place of its own.
    case done(Result)
    case failed(ServiceError)
    case cancelled
  }

  package enum Result: Sendable, Hashable {
    case file(String)
    case location(Location)
    case rows(Int)
    /// What it did, in a sentence.
    case words(String)
  }

  package let id: Int
  package let kind: Kind
  /// "report.pdf", "Transactions of Everyday account".
  package var title: String
  package let location: Location
  package var state: State = .waiting
  /// Bytes, or rows of loading and export.
  package var done: Int64 = 0
  package var total: Int64?
  /// Bytes or rows a second.
  package var rate: Double?
  package var timeLeft: Duration?

  package var isActive: Bool {
    switch state {
    case .waiting, .running, .paused: true
    case .done, .failed, .cancelled: false
    }
  }

  /// An upload cannot be held up without breaking it, nor can a synchronisation.
  package var canPause: Bool { kind != .upload && kind != .sync }

  /// Between 0 and 1; nil while the end is not known.
  package var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(1, Double(done) / Double(total))
  }
}
