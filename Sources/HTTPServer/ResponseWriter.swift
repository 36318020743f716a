internal import CMicrohttpd
import Glibc

/// Turns a `ServerResponse` into MHD's and queues it.
enum ResponseWriter {
  private static let blockSize = 256 << 10
  /// MHD copies smaller bodies once; larger ones are read in blocks from the array.
  private static let copyLimit = 64 << 10

  static func queue(_ response: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
    guard response.status > 0 else { return .NO }
    guard let raw = make(response.body) else {
      if case .file = response.body { return queue(.text(500, "the file cannot be read"), on: connection) }
      return .NO
    }
    defer { cmicrohttpd_destroy(raw) }
    for (name, value) in response.headers where !isOurs(name) {
      guard cmicrohttpd_add_header(raw, name, value) == .YES else {
        return queue(.text(500, "a header of the answer is not valid: \(name)"), on: connection)
      }
    }
    return cmicrohttpd_queue(connection, UInt32(clamping: response.status), raw)
  }

  private static func isOurs(_ name: String) -> Bool {
    ["content-length", "transfer-encoding"].contains(name.lowercased())
  }

  private static func make(_ body: ResponseBody) -> OpaquePointer? {
    switch body {
    case .bytes(let bytes) where bytes.count <= copyLimit:
      bytes.withUnsafeBytes { cmicrohttpd_response_copying($0.baseAddress, $0.count) }
    case .bytes(let bytes):
      generated(length: bytes.count) { offset, buffer in
        let end = min(offset + buffer.count, bytes.count)
        guard offset < end else { return 0 }
        bytes.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<end])) }
        return end - offset
      }
    case .generated(let length, let generator):
      generated(length: length, generator)
    case .file(let path, let offset, let count):
      file(path, offset: offset, count: count)
    }
  }

  private final class GeneratorBox {
    let generator: ResponseBody.Generator
    init(_ generator: @escaping ResponseBody.Generator) { self.generator = generator }
  }

  private static func generated(length: Int?, _ generator: @escaping ResponseBody.Generator) -> OpaquePointer? {
    let box = Unmanaged.passRetained(GeneratorBox(generator))
    let raw = cmicrohttpd_response_from_callback(
      length.map { UInt64($0) } ?? cmicrohttpd_size_unknown, blockSize,
      { context, position, buffer, room in
        guard let context, let buffer else { return cmicrohttpd_end_with_error }
        let box = Unmanaged<GeneratorBox>.fromOpaque(context).takeUnretainedValue()
        let written = box.generator(Int(position), UnsafeMutableRawBufferPointer(start: buffer, count: room))
        return switch written {
        case 0: cmicrohttpd_end_of_stream
        case 1...room: written
        default: cmicrohttpd_end_with_error
        }
      }, box.toOpaque(),
      { context in
        guard let context else { return }
        Unmanaged<GeneratorBox>.fromOpaque(context).release()
      })
    if raw == nil { box.release() }
    return raw
  }

  private static func file(_ path: String, offset: Int, count: Int) -> OpaquePointer? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    let raw = cmicrohttpd_response_from_file(UInt64(count), descriptor, UInt64(offset))
    if raw == nil { close(descriptor) }
    return raw
  }
}
