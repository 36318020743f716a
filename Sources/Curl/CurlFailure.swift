internal import CCurl

/// An error of libcurl's, sorted by what it means to a caller.
package struct CurlFailure: Error, Sendable {
  package enum Kind: Sendable {
    case missingLibrary, unreachable, timedOut, tls, brokenOff, tooLarge, unreadable, badRequest
  }

  package let kind: Kind
  /// libcurl's own words.
  package let text: String

  package init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  init(_ code: CURLcode, text: String) {
    self.text = text.isEmpty ? String(cString: ccurl_easy_strerror(code)) : text
    kind = Self.kind(of: code, text)
  }

  private static func kind(of code: CURLcode, _ text: String) -> Kind {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED,
      CURLE_PROXY:
      .unreachable
    case CURLE_OPERATION_TIMEDOUT:
      .timedOut
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT:
      .tls
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      .unreadable
    case CURLE_RECV_ERROR where text.contains("chunk"):
      .unreadable
    case CURLE_OUT_OF_MEMORY, CURLE_FILESIZE_EXCEEDED:
      // A header line beyond libcurl's own limit ends as the former.
      .tooLarge
    case CURLE_URL_MALFORMAT, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_BAD_FUNCTION_ARGUMENT, CURLE_UNKNOWN_OPTION:
      .badRequest
    default:
      .brokenOff
    }
  }
}
