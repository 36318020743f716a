internal import CCurl

/// One transfer, from its start to its end.
///
/// `@unchecked Sendable`: everything but the constants belongs to the engine's thread.
package final class CurlTransfer: @unchecked Sendable {
  let request: CurlRequest
  let handler: any CurlTransferHandler
  var handle: UnsafeMutableRawPointer?
  var isCancelled = false
  /// A paused transfer is not silent, it is waiting for us.
  var isPaused = false
  /// Why a callback of ours ended it, where one did.
  var ownReason: CurlOutcome.Result?
  /// Nanoseconds on the monotonic clock.
  var lastActivity: Int64 = 0
  private var received = 0
  private var sent = 0
  private var bodyPosition = 0
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var detourList: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>
  private static let errorSize = Int(CURL_ERROR_SIZE)

  package init(_ request: CurlRequest, handler: any CurlTransferHandler) {
    self.request = request
    self.handler = handler
    errorText = .allocate(capacity: Self.errorSize)
    errorText.initialize(repeating: 0, count: Self.errorSize)
  }

  deinit {
    errorText.deallocate()
    if let headerList { ccurl_slist_free_all(headerList) }
    if let detourList { ccurl_slist_free_all(detourList) }
  }

  var silenceNanoseconds: Int64 {
    let parts = request.silence.components
    return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
  }

  var errorMessage: String { String(cString: errorText) }

  func stop(_ reason: CurlOutcome.Result) { ownReason = ownReason ?? reason }

  func noteActivity() { lastActivity = MonotonicClock.now() }

  /// Asks the kernel when the last bytes came: libcurl tells of a head only line by line, and a slow one is not silent.
  ///
  /// - Returns: The time of the last activity.
  func noteUnseenActivity() -> Int64 {
    guard let handle else { return lastActivity }
    let quiet = ccurl_quiet_milliseconds(handle)
    if quiet >= 0 { lastActivity = max(lastActivity, MonotonicClock.now() - quiet * 1_000_000) }
    return lastActivity
  }

  // MARK: Setting up

  /// Puts the whole request into the handle.
  ///
  /// - Returns: The first failure, as the file of a certificate that is not there.
  func configure(_ handle: UnsafeMutableRawPointer) -> CurlFailure? {
    self.handle = handle
    var options = CurlOptions(handle)
    options.set(CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
    options.set(CURLOPT_ERRORBUFFER, UnsafeMutableRawPointer(errorText))
    options.set(CURLOPT_URL, request.url)
    options.setConstants()
    options.set(CURLOPT_PROXY, request.proxy ?? "")
    options.set(CURLOPT_CONNECTTIMEOUT_MS, Int(silenceNanoseconds / 1_000_000))
    options.set(CURLOPT_FRESH_CONNECT, request.freshConnection ? 1 : 0)
    // Nor is it kept: a pool that grows with every write would, once its server is gone, be tried one by one.
    options.set(CURLOPT_FORBID_REUSE, request.freshConnection ? 1 : 0)
    options.set(CURLOPT_BUFFERSIZE, request.isBulk ? 256 << 10 : 32 << 10)
    if request.isCompressed { options.set(CURLOPT_ACCEPT_ENCODING, "") }
    configureTLS(&options)
    configureMethod(&options)
    configureHeaders(&options)
    configureDetour(&options)
    configureCallbacks(handle)
    return options.failure
  }

  private func configureTLS(_ options: inout CurlOptions) {
    if let authorities = request.authorities {
      options.set(CURLOPT_CAINFO, authorities)
      options.set(CURLOPT_CAPATH, nil as String?)
    }
    if let certificate = request.certificate { options.set(CURLOPT_SSLCERT, certificate) }
    if let key = request.key { options.set(CURLOPT_SSLKEY, key) }
    if let keys = request.pinnedKeys { options.set(CURLOPT_PINNEDPUBLICKEY, keys) }
  }

  private func configureMethod(_ options: inout CurlOptions) {
    guard request.method != "HEAD" else { return options.set(CURLOPT_NOBODY, 1) }
    switch request.body {
    case .none:
      if ["POST", "PUT", "PATCH"].contains(request.method) { options.setPosted([]) }
    case .bytes(let bytes):
      if bytes.count <= 1 << 20 { options.setPosted(bytes) } else { options.setUpload(count: Int64(bytes.count)) }
    case .stream(let count):
      options.setUpload(count: count)
    }
    options.set(CURLOPT_CUSTOMREQUEST, request.method)
  }

  private func configureDetour(_ options: inout CurlOptions) {
    guard let detour = request.detour else { return }
    detourList = ccurl_slist_append(nil, detour)
    options.set(CURLOPT_CONNECT_TO, detourList)
  }

  private func configureHeaders(_ options: inout CurlOptions) {
    var list: UnsafeMutablePointer<curl_slist>?
    for (name, value) in request.headers {
      // "Name:" would remove the field; "Name;" sends it empty.
      list = ccurl_slist_append(list, value.isEmpty ? "\(name);" : "\(name): \(value)") ?? list
    }
    if !request.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
      // libcurl would call every posted body a form.
      list = ccurl_slist_append(list, "Content-Type:") ?? list
    }
    headerList = list
    options.set(CURLOPT_HTTPHEADER, list)
  }

  private func configureCallbacks(_ handle: UnsafeMutableRawPointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_set_close_on_exec(handle)
    ccurl_set_ready(handle, CurlTransfer.ready, context)
    ccurl_set_progress(handle, CurlTransfer.progress, context)
    ccurl_set_header(handle, CurlTransfer.header, context)
    ccurl_set_write(handle, CurlTransfer.body, context)
    ccurl_set_read(handle, CurlTransfer.upload, context)
  }

  // MARK: Callbacks

  private static func from(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The connection stands; the address it really went to decides whether plain http may go on.
  private static let ready: ccurl_ready_callback = { context, remote, _, _, _ in
    guard let transfer = from(context) else { return CURL_PREREQFUNC_ABORT }
    transfer.noteActivity()
    guard transfer.request.loopbackOnly, let remote else { return CURL_PREREQFUNC_OK }
    let address = String(cString: remote)
    guard address.hasPrefix("127.") || address == "::1" || address.hasPrefix("::ffff:127.") else {
      transfer.stop(.notLoopback)
      return CURL_PREREQFUNC_ABORT
    }
    return CURL_PREREQFUNC_OK
  }

  private static let progress: ccurl_progress_callback = { context, _, received, _, sent in
    guard let transfer = from(context) else { return 1 }
    if transfer.received != received || transfer.sent != sent {
      if transfer.sent != sent { transfer.handler.sent(Int64(sent)) }
      transfer.received = received
      transfer.sent = sent
      transfer.noteActivity()
    }
    return 0
  }

  private static let header: ccurl_data_callback = { bytes, size, count, context in
    guard let transfer = from(context) else { return 0 }
    transfer.noteActivity()
    guard transfer.handler.receive(header: UnsafeRawBufferPointer(start: bytes, count: count)) != .stop else {
      transfer.stop(.stopped)
      return 0
    }
    return count
  }

  private static let body: ccurl_data_callback = { bytes, size, count, context in
    guard let transfer = from(context) else { return 0 }
    transfer.noteActivity()
    switch transfer.handler.receive(body: UnsafeRawBufferPointer(start: bytes, count: count)) {
    case .go:
      return count
    case .pause:
      transfer.isPaused = true
      return ccurl_write_pause
    case .stop:
      transfer.stop(.stopped)
      return 0
    }
  }

  private static let upload: ccurl_data_callback = { bytes, size, count, context in
    guard let transfer = from(context) else { return ccurl_read_abort }
    transfer.noteActivity()
    let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    if case .bytes(let all) = transfer.request.body { return transfer.copyBody(all, into: buffer) }
    switch transfer.handler.supply(buffer) {
    case .bytes(let count):
      return count
    case .end:
      return 0
    case .pause:
      transfer.isPaused = true
      return ccurl_read_pause
    case .stop:
      transfer.stop(.stopped)
      return ccurl_read_abort
    }
  }

  private func copyBody(_ all: [UInt8], into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let end = min(bodyPosition + buffer.count, all.count)
    all.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[bodyPosition..<end])) }
    defer { bodyPosition = end }
    return end - bodyPosition
  }

  // MARK: Ending

  /// What libcurl measured so far.
  func collectInfo() -> CurlInfo {
    var info = CurlInfo()
    guard let handle else { return info }
    info.lookup = ccurl_get_size(handle, CURLINFO_NAMELOOKUP_TIME_T)
    info.connected = ccurl_get_size(handle, CURLINFO_CONNECT_TIME_T)
    info.secured = ccurl_get_size(handle, CURLINFO_APPCONNECT_TIME_T)
    info.requestSent = ccurl_get_size(handle, CURLINFO_PRETRANSFER_TIME_T)
    info.firstByte = ccurl_get_size(handle, CURLINFO_STARTTRANSFER_TIME_T)
    info.total = ccurl_get_size(handle, CURLINFO_TOTAL_TIME_T)
    info.isReused = ccurl_get_long(handle, CURLINFO_NUM_CONNECTS) == 0 && info.requestSent > 0
    if let address = ccurl_get_text(handle, CURLINFO_PRIMARY_IP).map({ String(cString: $0) }), !address.isEmpty {
      let host = address.contains(":") ? "[\(address)]" : address
      info.remoteAddress = "\(host):\(ccurl_get_long(handle, CURLINFO_PRIMARY_PORT))"
    }
    info.httpVersion =
      switch ccurl_get_long(handle, CURLINFO_HTTP_VERSION) {
      case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
      case Int(CURL_HTTP_VERSION_3): "HTTP/3"
      default: ""
      }
    return info
  }
}
