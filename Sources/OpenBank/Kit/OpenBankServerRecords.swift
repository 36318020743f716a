import JSON
import Model
import Store
import Synchronization

/// The servers an application knows, kept across its runs: `OBPServerInfo`'s entries and `OBPServerInfoStore` of OBPKit.
///
/// The records stand in one file, replaced in one step and for its owner's eyes; every secret stands in the keeper, which
/// is what `OBPServerInfoCustomise` was for: give another keeper to encrypt otherwise.
public final class OpenBankServerRecords: Sendable {
  /// `usable` and `inUse` of OBPKit.
  public struct Standing: Sendable, Hashable {
    /// Whether the client pair is known, without which nobody can sign in.
    public let isUsable: Bool
    /// Whether somebody is signed in, as far as is known without asking the server.
    public let isInUse: Bool
  }

  /// Where the file is.
  public let path: String
  let keeper: any SecretKeeper
  private let makeID: @Sendable () -> String
  private let records: Mutex<[OpenBankServerRecord]>

  /// Reads what an earlier run kept; a file that is not there yet holds nothing.
  ///
  /// - Parameter randomBytes: `count` unpredictable bytes, for the records' ids.
  /// - Throws: `.failed` for a file that cannot be read, `.unreadable` for one that is something else; it is left alone.
  public init(
    path: String, keeper: any SecretKeeper, randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
  ) throws(ServiceError) {
    self.path = path
    self.keeper = keeper
    makeID = { OpenBankSession.nonce(randomBytes) }
    records = Mutex(try OpenBankServerRecords.read(path))
  }

  /// Every record, the oldest first (`entries`).
  public var all: [OpenBankServerRecord] { records.withLock { $0 } }

  /// The oldest record (`defaultEntry`).
  public var first: OpenBankServerRecord? { all.first }

  /// The first record of a server, and of a version where the address names one (`firstEntryForAPIServer:`).
  public func first(for url: String) -> OpenBankServerRecord? {
    guard let wanted = OpenBankServer(url: url) else { return nil }
    return all.first { record in
      record.server.base == wanted.base && (!wanted.namesVersion || record.server.version == wanted.version)
    }
  }

  /// A new record (`addEntryForAPIServer:`). Several for one server are several users of it.
  ///
  /// - Throws: `.usage` for what is no address.
  public func add(
    _ url: String, authURL: String? = nil, name: String? = nil,
    paths: OpenBankServerRecord.Paths = OpenBankServerRecord.Paths()
  ) throws(ServiceError) -> OpenBankServerRecord {
    guard let record = OpenBankServerRecord(id: makeID(), url: url, authURL: authURL, name: name, paths: paths) else {
      throw ServiceError(.usage, "add the server", detail: "“\(url)” is no address of a server")
    }
    try change { $0.append(record) }
    return record
  }

  /// Keeps a record as it has been changed; its id tells which one.
  public func update(_ record: OpenBankServerRecord) throws(ServiceError) {
    try change { records in
      if let index = records.firstIndex(where: { $0.id == record.id }) { records[index] = record }
    }
  }

  /// Forgets a record and everything secret that belongs to it (`removeEntry:`).
  public func remove(_ record: OpenBankServerRecord) async throws(ServiceError) {
    for name in ["client-key", "client-secret", "session"] { try await keeper.remove(named: "\(record.id)/\(name)") }
    try change { $0.removeAll { $0.id == record.id } }
  }

  // MARK: Secrets

  /// Keeps the client pair, both at once and only while there is none, as OBPKit does (`ClientKey`, `ClientSecret`).
  ///
  /// - Throws: `.conflict` when there is a pair already.
  public func setClient(key: Secret, secret: Secret, of record: OpenBankServerRecord) async throws(ServiceError) {
    guard try await keeper.secret(named: "\(record.id)/client-key") == nil else {
      throw ServiceError(
        .conflict, "keep the client pair of \(record.name)", detail: "it has one",
        remedy: "Remove the record and add the server again.")
    }
    try await keeper.keep(key, named: "\(record.id)/client-key")
    try await keeper.keep(secret, named: "\(record.id)/client-secret")
  }

  public func standing(of record: OpenBankServerRecord) async throws(ServiceError) -> Standing {
    Standing(
      isUsable: try await keeper.secret(named: "\(record.id)/client-key") != nil,
      isInUse: try await keeper.secret(named: "\(record.id)/session") != nil)
  }

  // MARK: The file

  private func change(_ body: (inout [OpenBankServerRecord]) -> Void) throws(ServiceError) {
    let result = records.withLock { records -> Result<Void, ServiceError> in
      var changed = records
      body(&changed)
      let file: JSONNode = ["version": 1, "servers": .array(changed.map(\.node))]
      do throws(FileError) {
        try Files.makeDirectory(FilePath.directory(of: path))
        try Files.replace(path, with: file.encoded(pretty: true))
      } catch {
        return .failure(error.serviceError("keep the servers"))
      }
      records = changed
      return .success(())
    }
    try result.get()
  }

  private static func read(_ path: String) throws(ServiceError) -> [OpenBankServerRecord] {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try Files.read(path) } catch {
      if error.isMissing { return [] }
      throw error.serviceError("read the servers")
    }
    do {
      let root = try JSONDocument(bytes).root
      guard root["servers"].kind == .array else {
        throw ServiceError(.unreadable, "read the servers", detail: "\(path) holds no list of servers")
      }
      return root["servers"].elements.compactMap { OpenBankServerRecord($0) }
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(.unreadable, "read the servers", detail: "\(path) is no JSON", cause: error)
    }
  }
}
