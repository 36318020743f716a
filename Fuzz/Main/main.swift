import Glibc

/// libFuzzer's own loop, without its `main`: the first argument names the target, the rest are libFuzzer's.
@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ run: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

// nonisolated(unsafe): set before the loop starts, which has one thread.
private nonisolated(unsafe) var target = FuzzTarget.json

guard CommandLine.arguments.count > 1, let chosen = FuzzTarget.named(CommandLine.arguments[1]) else {
  print("targets: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
  exit(2)
}
target = chosen
var words: [UnsafeMutablePointer<CChar>?] = ([CommandLine.arguments[0]] + CommandLine.arguments.dropFirst(2)).map {
  strdup($0)
}
var count = Int32(words.count)
words.append(nil)
let status = words.withUnsafeMutableBufferPointer { buffer -> Int32 in
  guard var base = buffer.baseAddress else { return 2 }
  return runDriver(&count, &base) { bytes, size in
    target.run(Array(UnsafeBufferPointer(start: bytes, count: size)))
    return 0
  }
}
exit(status)
