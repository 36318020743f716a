import Glibc
import Model
import Store

/// How far the download of a tree has come, and what in it could not be fetched.
struct TreeWalk {
  struct Failure {
    let location: Location
    let reason: String

    static func tooDeep(_ location: Location) -> Failure {
      Failure(location: location, reason: "it lies more than \(TreeWalk.deepest) folders deep")
    }
  }

  let progress: Progress
  var done: Int64 = 0
  var failures: [Failure] = []
  static let deepest = 64

  init(progress: @escaping Progress) { self.progress = progress }

  /// One thing that may not be read does not end the rest; a server that is gone does.
  mutating func bear(_ error: ServiceError, _ location: Location) throws(ServiceError) {
    guard [.forbidden, .notFound, .notOffered, .conflict].contains(error.code) else { throw error }
    failures.append(Failure(location: location, reason: error.reason))
  }

  func failure(_ operation: String) -> ServiceError {
    let first = failures[0]
    let more = failures.count > 1 ? " and \(failures.count - 1) more" : ""
    return ServiceError(
      .failed, operation, detail: "the rest is here, but not \(first.location)\(more): \(first.reason)",
      remedy: "Open what is missing to see why.")
  }
}

/// Names of one directory: safe, and each once, also where a file system ignores case.
struct FileNames {
  let unique: [String]

  init(_ names: [String]) {
    var seen: Set<String> = []
    unique = names.map { name in
      let safe = FileName.safe(name)
      var candidate = safe
      var number = 2
      while !seen.insert(candidate.lowercased()).inserted {
        candidate = "\(number)-\(safe)"
        number += 1
      }
      return candidate
    }
  }
}

/// The folders and files below a directory, the outer folders first.
struct UploadPlan {
  struct File {
    /// From the directory's own name on.
    let path: String
    let size: Int64
  }

  private(set) var folders: [String] = []
  private(set) var files: [File] = []
  var total: Int64 { files.reduce(0) { $0 + $1.size } }
  /// More would be a mistake rather than a wish.
  private static let most = 100_000

  /// - Throws: `.usage` when it cannot be read, or holds too much. Links are not followed.
  init(_ root: String) throws(ServiceError) {
    var waiting = [FilePath.lastName(of: root)]
    let base = FilePath.directory(of: root)
    while !waiting.isEmpty {
      let folder = waiting.removeFirst()
      folders.append(folder)
      for name in Files.names(in: FilePath.joined(base, folder)).sorted() {
        let path = "\(folder)/\(name)"
        var status = stat()
        guard lstat(FilePath.joined(base, path), &status) == 0 else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: waiting.append(path)
        case S_IFREG: files.append(File(path: path, size: Int64(status.st_size)))
        default: break
        }
      }
      guard folders.count + files.count <= Self.most else {
        throw ServiceError(.usage, "upload \(root)", detail: "there are more than \(Self.most) things in it")
      }
    }
  }
}
