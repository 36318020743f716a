import Model
import Service
import Store

enum PutCommand {
  static let command = Command(
    "put", ["FILE|- LOCATION"], "upload content: create or replace",
    details: ["A LOCATION that ends in / is the folder or collection to create in."],
    options: [
      Option("type", value: "MIME", "what the content is; from the file's name unless told"),
      Option("if-match", value: "TAG", "only when the content still has this etag (Alfresco: version label)"),
      Option("keep-both", "when the name is taken, keep the old one and choose a free name"),
    ],
    arguments: 2...2, run: run)

  private static func run(_ session: Session) async throws(ServiceError) -> Int32 {
    let (file, target) = (session.arguments[0], session.arguments[1])
    let location = try session.location(target)
    let service = try session.service()
    let source = try source(file)
    var request = UploadRequest(source)
    let isFolder = target.hasSuffix("/")
    if isFolder {
      guard try await isContainer(location, service) else {
        throw ServiceError(
          .usage, "upload to \(target)", detail: "\(location) is not a folder", remedy: "Leave out the / at the end.")
      }
      if file != "-" { request.name = FilePath.lastName(of: file) }
    }
    let name = isFolder ? request.name ?? "" : location.path.last ?? ""
    request.mediaType =
      session.invocation.value("type") ?? MediaType.ofFile(named: name) ?? MediaType.ofFile(named: file)
    request.ifMatch = session.invocation.value("if-match")
    request.keepsBoth = session.invocation.has("keep-both")
    let meter = ProgressLine(session.errors, FilePath.lastName(of: file))
    defer { meter.clear() }
    let result = try await service.upload(request, to: location, progress: meter.progress)
    meter.clear()
    try session.output.write(result.text + "\n")
    return ExitStatus.done
  }

  private static func isContainer(_ location: Location, _ service: ServiceLayer) async throws(ServiceError) -> Bool {
    if case .item = try await service.nature(of: location) { return false }
    return true
  }

  private static func source(_ file: String) throws(ServiceError) -> FileSource {
    do throws(FileError) {
      return try file == "-" ? FileSource(spooling: 0, named: "standard input") : FileSource(file)
    } catch {
      throw error.serviceError("upload \(file)")
    }
  }
}
