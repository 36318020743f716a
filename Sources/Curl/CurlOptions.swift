internal import CCurl
import Glibc

/// Sets options on a handle and keeps the first failure.
struct CurlOptions {
  private let handle: UnsafeMutableRawPointer
  private(set) var failure: CurlFailure?

  init(_ handle: UnsafeMutableRawPointer) { self.handle = handle }

  mutating func set(_ option: CURLoption, _ value: Int) { check(ccurl_set_long(handle, option, value), option) }
  mutating func set(_ option: CURLoption, _ value: String?) { check(ccurl_set_text(handle, option, value), option) }
  mutating func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
    check(ccurl_set_pointer(handle, option, value), option)
  }
  mutating func set(_ option: CURLoption, _ value: UnsafeMutablePointer<curl_slist>?) {
    check(ccurl_set_list(handle, option, value), option)
  }

  /// What holds for every transfer: only HTTP, verified TLS, no surprises from the environment.
  mutating func setConstants() {
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
  }

  /// A body that goes out together with the head; libcurl copies it. None at all is said with a length of 0.
  mutating func setPosted(_ bytes: [UInt8]) {
    set(CURLOPT_POSTFIELDSIZE, bytes.count)
    if bytes.isEmpty { return set(CURLOPT_COPYPOSTFIELDS, "") }
    bytes.withUnsafeBytes { set(CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: $0.baseAddress)) }
  }

  /// A body that is asked for piece by piece; -1 stands for an unknown count.
  mutating func setUpload(count: Int64?) {
    set(CURLOPT_UPLOAD, 1)
    set(CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10)
    check(ccurl_set_size(handle, CURLOPT_INFILESIZE_LARGE, count ?? -1), CURLOPT_INFILESIZE_LARGE)
  }

  private mutating func check(_ code: CURLcode, _ option: CURLoption) {
    guard code != CURLE_OK, failure == nil else { return }
    failure = CurlFailure(code, text: "\(String(cString: ccurl_easy_strerror(code))) (option \(option.rawValue))")
  }
}

/// Nanoseconds that never go back.
enum MonotonicClock {
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
