import Glibc

/// Where the programs of this package are while its tests run.
package enum BuiltProgram {
  /// The program of that name beside the test bundle.
  package static func path(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    // The bundle itself runs, or a helper of the toolchain loads it: then it is named on the command line.
    for candidate in [path] + CommandLine.arguments {
      guard let slash = candidate.lastIndex(of: "/") else { continue }
      let program = candidate[..<slash] + "/\(name)"
      if access(String(program), X_OK) == 0 { return String(program) }
    }
    return ".build/debug/\(name)"
  }
}
