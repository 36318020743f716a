import Model

/// `config.yaml` on disk, for edits made by the program.
package struct ConfigurationFile: Sendable {
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Reads the text, hands it to `edit`, and replaces the file with the result. The directory is made when missing.
  package func change(_ edit: (ConfigurationEditor) throws(ServiceError) -> [UInt8]) throws(ServiceError) {
    var bytes: [UInt8] = []
    do throws(FileError) {
      bytes = try Files.read(path)
    } catch {
      guard error.isMissing else { throw error.serviceError("read the configuration") }
    }
    let edited = try edit(ConfigurationEditor(bytes, path: path))
    do throws(FileError) {
      try Files.makeDirectory(FilePath.directory(of: path))
      try Files.replace(path, with: edited)
    } catch {
      throw error.serviceError("write the configuration")
    }
  }
}
