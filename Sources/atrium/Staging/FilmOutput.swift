import Model
import Stage
import Store

/// The files that playing a tape leaves behind, as far as somebody asked for them.
struct FilmOutput {
  /// For the film as asciicast v2.
  var cast: String?
  /// For the film as an SVG that plays by itself.
  var film: String?
  /// Directory of the tape's screenshots.
  var pictures: String?

  func write(_ shown: Film) throws(ServiceError) {
    if let cast { try write(Asciicast.bytes(of: shown), to: cast) }
    if let film { try write(Array(SVGFilm.text(of: shown).utf8), to: film) }
  }

  /// A screenshot, as a picture and as text.
  func keep(_ name: String, _ buffer: CellBuffer, _ theme: Theme) throws(ServiceError) {
    guard let pictures else { return }
    let path = FilePath.joined(pictures, name)
    try write(Array(SVGPicture.text(of: buffer, theme).utf8), to: path + ".svg")
    try write(Array(TextPicture.text(of: buffer).utf8), to: path + ".txt")
  }

  private func write(_ bytes: [UInt8], to path: String) throws(ServiceError) {
    do throws(FileError) {
      try Files.makeDirectory(FilePath.directory(of: path))
      try Files.replace(path, with: bytes, mode: 0o644)
    } catch {
      throw error.serviceError("write \(FilePath.lastName(of: path))")
    }
  }
}
