import Model
import Synchronization
import Wire

/// Where bytes lie in the repository.
public enum ContentAddress: Sendable, Hashable {
  case node(String)
  case version(String, of: String)
  case rendition(String, of: String)
  case deleted(String)

  var path: [String] {
    switch self {
    case .node(let id): ["nodes", id, "content"]
    case .version(let label, let id): ["nodes", id, "versions", label, "content"]
    case .rendition(let rendition, let id): ["nodes", id, "renditions", rendition, "content"]
    case .deleted(let id): ["deleted-nodes", id, "content"]
    }
  }
}

/// A file to be stored as a new one.
public struct NewFile: Sendable {
  public var name: String
  public var mediaType: String?
  public var source: any ByteSource
  /// Chooses `name-1` when the name is taken, instead of failing.
  public var autoRenames: Bool
  /// Makes a new version of the file that has the name, instead of failing. Not together with `autoRenames`.
  public var overwrites = false
  /// Whether a version counts as a major one; nil for the server's choice: major for a new file, minor for the next.
  public var isMajor: Bool?
  /// What the version is about.
  public var comment: String?
  public init(_ name: String, _ source: any ByteSource, mediaType: String? = nil, autoRenames: Bool = false) {
    self.name = name
    self.source = source
    self.mediaType = mediaType
    self.autoRenames = autoRenames
  }
}

extension AlfrescoClient {
  /// Streams content, going on at an offset where the content is still the same.
  ///
  /// This server reads no `If-Range`, so the tag of each answer is compared here before any byte is taken; where it is
  /// another one, the whole is asked for again. A whole answer carries a `Content-Range`, too: the status decides.
  public func download(
    _ content: ContentAddress, _ wanted: DownloadRequest = DownloadRequest(), to sink: any ByteSink,
    progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> ContentHead {
    var call = Call("download")
    call.path = content.path
    call.headers = ["Accept": "*/*"]
    guard wanted.offset > 0, let validator = wanted.validator else {
      return try await stream(call, to: sink, progress: progress)
    }
    var resumed = call
    resumed.headers["Range"] = "bytes=\(wanted.offset)-"
    resumed.headers["If-Range"] = validator
    let changed = Mutex(false)
    do throws(ServiceError) {
      return try await stream(resumed, to: sink, progress: progress) { response in
        guard response.status == 206 else { return response.isSuccess ? response.contentHead : nil }
        let isSame = response.contentHead.validator == validator && response.contentRange?.offset == wanted.offset
        if !isSame { changed.withLock { $0 = true } }
        return isSame ? response.contentHead : nil
      }
    } catch {
      // Too far behind the end, or another content: begin again.
      guard changed.withLock({ $0 }) || error.status == 416 else { throw error }
      return try await stream(call, to: sink, progress: progress)
    }
  }

  private func stream(
    _ call: Call, to sink: any ByteSink, progress: @escaping Progress,
    head: @escaping HeadHandler = { $0.isSuccess ? $0.contentHead : nil }
  ) async throws(ServiceError) -> ContentHead {
    let request = try await request(call)
    let taken = Mutex<ContentHead?>(nil)
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.download(
        request, to: sink,
        head: { response in
          let found = try head(response)
          taken.withLock { $0 = found }
          return found
        }, progress: progress)
    } catch {
      throw error.serviceError(call.operation)
    }
    guard let found = taken.withLock({ $0 }) else { throw refusal(response, call.operation) }
    return found
  }

  /// Stores a new file; its first version is 1.0.
  ///
  /// - Parameter boundary: Separates the parts of the form; random, so that no file holds it.
  /// - Throws: `.conflict` when the name is taken and the file does not rename itself.
  public func createFile(
    _ file: NewFile, in parent: String, boundary: String, progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> Entry<Node> {
    var fields = [(name: "name", value: file.name)]
    if file.autoRenames { fields.append((name: "autoRename", value: "true")) }
    if file.overwrites { fields.append((name: "overwrite", value: "true")) }
    if let isMajor = file.isMajor { fields.append((name: "majorVersion", value: isMajor ? "true" : "false")) }
    if let comment = file.comment { fields.append((name: "comment", value: comment)) }
    let form = MultipartSource(
      fields: fields, name: file.name, mediaType: file.mediaType, file: file.source, boundary: boundary)
    var call = Call("upload “\(file.name)”", "POST", "nodes", parent, "children")
    call.headers["Content-Type"] = form.contentType
    call.body = .source(form)
    return try await Entry(upload(call, progress), Node.init)
  }

  /// Stores new content of a file as its next version.
  public func updateContent(
    _ id: String, _ source: any ByteSource, mediaType: String? = nil, major: Bool = false, comment: String? = nil,
    progress: @escaping Progress = { _, _ in }
  ) async throws(ServiceError) -> Entry<Node> {
    var query = [("majorVersion", major ? "true" : "false"), ("include", Self.nodeDetails)]
    if let comment { query.append(("comment", comment)) }
    var call = Call("upload a new version", "PUT", "nodes", id, "content", query: query)
    call.headers["Content-Type"] = mediaType ?? "application/octet-stream"
    call.body = .source(source)
    return try await Entry(upload(call, progress), Node.init)
  }

  private func upload(_ call: Call, _ progress: @escaping Progress) async throws(ServiceError) -> JSONReply {
    var request = try await request(call)
    request.onUpload = progress
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.send(request)
    } catch {
      throw error.serviceError(call.operation)
    }
    guard response.isSuccess else { throw refusal(response, call.operation) }
    return try JSONReply(response, call.operation)
  }
}
