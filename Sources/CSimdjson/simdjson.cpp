#include "CSimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

#define STR_(x) #x
#define STR(x) STR_(x)

// Only simdjson's first stage is used: it finds the tokens and checks UTF-8 with vector instructions, chosen for the
// CPU at run time. Its second stage turns 12.50 into a double and refuses 1e400 and integers of 20 digits; the one in
// build.cpp keeps for every value where it stands in the source, which also gives errors their exact position.

struct csimdjson_tokens {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> parser;
};

namespace {

// Stage one needs four bytes per byte of the document; below this size they are kept for the thread's next document.
constexpr size_t kept_capacity = 1 << 20;
thread_local std::unique_ptr<csimdjson_tokens> spare;

csimdjson_tokens *acquire(size_t count) {
  std::unique_ptr<csimdjson_tokens> tokens = std::move(spare);
  if (!tokens) tokens.reset(new (std::nothrow) csimdjson_tokens);
  if (!tokens) return nullptr;
  const size_t capacity = count < 65536 ? 65536 : count;
  if (!tokens->parser) {
    auto *active = static_cast<const simdjson::implementation *>(simdjson::get_active_implementation());
    if (active->create_dom_parser_implementation(capacity, 1, tokens->parser)) return nullptr;
  } else if (tokens->parser->capacity() < count) {
    if (tokens->parser->set_capacity(capacity)) return nullptr;
  }
  return tokens.release();
}

// The kernels for vector units copy the last block of a document, so they read nothing past its end; the plain one, for
// CPUs without any, reads past it inside a character or an escape that is cut off.
simdjson::error_code find_tokens(
  simdjson::internal::dom_parser_implementation &parser, const uint8_t *bytes, size_t count) {
  static const bool pads = simdjson::get_active_implementation()->name() == "fallback";
  if (!pads) return parser.stage1(bytes, count, simdjson::stage1_mode::regular);
  std::unique_ptr<uint8_t[]> padded(new (std::nothrow) uint8_t[count + simdjson::SIMDJSON_PADDING]);
  if (!padded) return simdjson::MEMALLOC;
  std::memcpy(padded.get(), bytes, count);
  std::memset(padded.get() + count, 0, simdjson::SIMDJSON_PADDING);
  return parser.stage1(padded.get(), count, simdjson::stage1_mode::regular);
}

// Offset of the first byte that is not part of valid UTF-8 (RFC 3629: shortest form, no surrogates, up to U+10FFFF).
size_t first_invalid_utf8(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  while (at < count) {
    const uint8_t lead = bytes[at];
    const size_t length = lead < 0x80 ? 1 : lead >= 0xc2 && lead < 0xe0 ? 2 : (lead & 0xf0) == 0xe0 ? 3
                          : lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
    if (length == 0 || length > count - at) return at;
    for (size_t i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) return at;
    }
    const uint8_t second = length > 2 ? bytes[at + 1] : 0x80;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return at;
    if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return at;
    at += length;
  }
  return count;
}

// Where the strings go wrong: a control character inside one, or the opening quote of one that never ends.
csimdjson_failure first_bad_string(const uint8_t *bytes, size_t count) {
  size_t opened = count;
  bool inside = false;
  for (size_t at = 0; at < count; at++) {
    if (!inside) {
      if (bytes[at] == '"') inside = true, opened = at;
    } else if (bytes[at] == '\\') {
      at++;
    } else if (bytes[at] == '"') {
      inside = false;
    } else if (bytes[at] < 0x20) {
      return {CSIMDJSON_CONTROL_IN_STRING, at};
    }
  }
  return {CSIMDJSON_UNCLOSED_STRING, opened};
}

csimdjson_failure explain(simdjson::error_code error, const uint8_t *bytes, size_t count) {
  size_t first = 0;
  while (first < count && std::strchr(" \t\r\n", bytes[first]) && bytes[first]) first++;
  if (first == count) return {CSIMDJSON_EMPTY, count};
  // A page of HTML has quotes that never pair: its first byte says more than the last of them.
  if (!std::strchr("{[\"-0123456789tfn", bytes[first]) || !bytes[first]) return {CSIMDJSON_EXPECTED_VALUE, first};
  switch (error) {
    case simdjson::UTF8_ERROR: return {CSIMDJSON_NOT_UTF8, first_invalid_utf8(bytes, count)};
    case simdjson::UNESCAPED_CHARS:
    case simdjson::UNCLOSED_STRING: {
      const size_t invalid = first_invalid_utf8(bytes, count);
      const csimdjson_failure string = first_bad_string(bytes, count);
      return invalid < string.offset ? csimdjson_failure{CSIMDJSON_NOT_UTF8, invalid} : string;
    }
    case simdjson::CAPACITY: return {CSIMDJSON_TOO_LARGE, count};
    case simdjson::MEMALLOC: return {CSIMDJSON_OUT_OF_MEMORY, 0};
    default: return {CSIMDJSON_EXPECTED_VALUE, first};
  }
}

}  // namespace

extern "C" {

csimdjson_tokens *csimdjson_scan(const uint8_t *bytes, size_t count, csimdjson_failure *failure) {
  if (count > CSIMDJSON_MAX_BYTES) {
    *failure = {CSIMDJSON_TOO_LARGE, CSIMDJSON_MAX_BYTES};
    return nullptr;
  }
  csimdjson_tokens *tokens = acquire(count);
  if (!tokens) {
    *failure = {CSIMDJSON_OUT_OF_MEMORY, 0};
    return nullptr;
  }
  const auto error = find_tokens(*tokens->parser, bytes, count);
  if (!error) return tokens;
  csimdjson_release(tokens);
  *failure = explain(error, bytes, count);
  return nullptr;
}

size_t csimdjson_node_bound(const csimdjson_tokens *tokens) { return tokens->parser->n_structural_indexes; }

const uint32_t *csimdjson_token_offsets(const csimdjson_tokens *tokens) {
  return tokens->parser->structural_indexes.get();
}

void csimdjson_release(csimdjson_tokens *tokens) {
  std::unique_ptr<csimdjson_tokens> owned(tokens);
  if (owned && owned->parser->capacity() <= kept_capacity) spare = std::move(owned);
}

const char *csimdjson_version(void) { return STR(SIMDJSON_VERSION); }
}
