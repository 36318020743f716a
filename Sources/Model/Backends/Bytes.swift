/// Bytes to send, read piece by piece. Used by one reader at a time.
public protocol ByteSource: Sendable {
  /// How many there are; nil when not known beforehand.
  var count: Int64? { get }
  /// Fills the buffer from the front and says how many bytes it wrote; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
  /// Back to the first byte, for a repeat after a sign-in; throws when that cannot be done.
  func rewind() throws
}

/// Takes bytes as they arrive. Used by one writer at a time.
public protocol ByteSink: Sendable {
  /// Called once, before any byte: what is coming, and at which offset it begins (0 unless a range was granted).
  func begin(_ head: ContentHead, at offset: Int64) throws
  func write(_ bytes: UnsafeRawBufferPointer) throws
}

/// What is known of some content before its bytes.
public struct ContentHead: Sendable, Hashable {
  public var name: String
  public var mediaType: String
  public var size: Int64?
  /// Changes when the content does: an ETag, or a version label where the server has none.
  public var validator: String?
  public var modified: Timestamp?

  public init(
    name: String, mediaType: String, size: Int64? = nil, validator: String? = nil, modified: Timestamp? = nil
  ) {
    self.name = name
    self.mediaType = mediaType
    self.size = size
    self.validator = validator
    self.modified = modified
  }
}

/// Bytes done and, when known, bytes in all.
public typealias Progress = @Sendable (_ done: Int64, _ total: Int64?) -> Void

/// A download that begins anew or goes on where one broke off.
public struct DownloadRequest: Sendable, Hashable {
  /// Where to begin; more than 0 only together with the validator of the first part.
  public var offset: Int64
  /// The content must still be the same; when it is not, the back end starts again at 0 and tells the sink so.
  public var validator: String?
  public init(offset: Int64 = 0, validator: String? = nil) {
    self.offset = offset
    self.validator = validator
  }
}

/// An upload; a location that is a container creates in it, one that is an item replaces its content.
public struct UploadRequest: Sendable {
  /// What to do when the name is taken.
  public enum Clash: Sendable, Hashable {
    case newVersion(isMajor: Bool)
    case keepBoth
    /// Leave what is there, and store nothing.
    case leaveOut
  }

  /// Decides on a taken name; throws to give up.
  public typealias ClashDecision = @Sendable (_ name: String) async throws(ServiceError) -> Clash

  public var source: any ByteSource
  /// The file's own name, used when the location is a container.
  public var name: String?
  public var mediaType: String?
  /// Only when the content still has this validator.
  public var ifMatch: String?
  /// When the name is taken: keep the old one and choose a free name, instead of failing or replacing.
  public var keepsBoth: Bool
  /// When the name is taken in a container: store the bytes as the next version of what is there, instead of failing.
  public var replaces: Bool
  /// Whether a version counts as a major one, where versions are numbered so; nil for the server's own choice.
  public var isMajor: Bool?
  /// What a new version is about, where versions carry a comment.
  public var comment: String?
  /// Asked when the name is taken and nothing above says what to do; without it that is a `.conflict`.
  public var whenTaken: ClashDecision?
  public init(
    _ source: any ByteSource, name: String? = nil, mediaType: String? = nil, ifMatch: String? = nil,
    keepsBoth: Bool = false, replaces: Bool = false, isMajor: Bool? = nil, comment: String? = nil,
    whenTaken: ClashDecision? = nil
  ) {
    self.source = source
    self.name = name
    self.mediaType = mediaType
    self.ifMatch = ifMatch
    self.keepsBoth = keepsBoth
    self.replaces = replaces
    self.isMajor = isMajor
    self.comment = comment
    self.whenTaken = whenTaken
  }
}

/// Bytes that are in memory already.
public final class MemorySource: ByteSource {
  private let bytes: [UInt8]
  private let position = Position()

  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  public var count: Int64? { Int64(bytes.count) }

  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    position.advance(upTo: buffer.count, of: bytes.count) { range in
      bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }
  }

  public func rewind() { position.reset() }
}
