import Glibc
import Model

/// A file that could not be read or written, with the system's own reason.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  package enum Task: String, Sendable { case open, read, write, create, replace, remove }

  package let task: Task
  package let path: String
  /// `errno` as it was.
  package let number: Int32

  package init(_ task: Task, _ path: String, number: Int32 = errno) {
    self.task = task
    self.path = path
    self.number = number
  }

  package var isMissing: Bool { number == ENOENT || number == ENOTDIR }

  /// The system's words for the reason: "no such file or directory".
  package var reason: String {
    // Since glibc 2.32 the text belongs to the calling thread.
    let text = String(cString: strerror(number))
    return text.prefix(1).lowercased() + text.dropFirst()
  }

  package var description: String { "\(task.rawValue) \(path): \(reason)" }

  /// The same as an error for a person. A missing file is `.notFound`, everything else `.failed`.
  package func serviceError(_ operation: String? = nil) -> ServiceError {
    let advice: String
    switch number {
    case ENOENT, ENOTDIR: advice = "Check the path."
    case EACCES, EPERM, EROFS: advice = "Check who may use the file and its folder."
    case ENOSPC, EDQUOT, EFBIG: advice = "Make room and try again."
    default: advice = "Check the file and try again."
    }
    return ServiceError(
      isMissing ? .notFound : .failed, operation ?? "\(task.rawValue) the file \(path)",
      detail: operation == nil ? reason : "\(path): \(reason)", remedy: advice, cause: self)
  }
}
