#include "CSimdjson.h"

#include <cstring>

// The grammar of RFC 8259 over the tokens simdjson found. Every index is checked: nothing here relies on padding, or on
// what the first stage promises.

extern "C" const uint32_t *csimdjson_token_offsets(const csimdjson_tokens *tokens);

namespace {

bool is_space(uint8_t byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }
bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
bool is_hex(uint8_t byte) { return is_digit(byte) || ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f'); }

constexpr uint32_t escaped_bit = 0x10000000;

class Builder {
 public:
  Builder(const csimdjson_tokens *tokens, const uint8_t *bytes, size_t count, csimdjson_node *nodes, size_t capacity)
      : offsets(csimdjson_token_offsets(tokens)), token_count(csimdjson_node_bound(tokens)), bytes(bytes),
        count(count), nodes(nodes), capacity(capacity) {}

  csimdjson_failure failure{CSIMDJSON_OK, 0};
  size_t made = 0;

  /// Reads one value and all inside it, without recursion.
  bool document(size_t max_depth) {
    for (;;) {
      if (!value(max_depth)) return false;
      // A container that was just opened and is not empty wants its first element.
      if (opened) continue;
      for (;;) {
        if (depth == 0) return token == token_count || fail(CSIMDJSON_EXPECTED_END, here());
        csimdjson_node &parent = nodes[stack[depth - 1]];
        const bool is_object = csimdjson_node_kind(parent) == CSIMDJSON_OBJECT;
        parent.packed++;
        if (take(',')) {
          if (is_object && !name()) return false;
          break;
        }
        if (!take(is_object ? '}' : ']')) {
          return fail(is_object ? CSIMDJSON_EXPECTED_COMMA_OR_BRACE : CSIMDJSON_EXPECTED_COMMA_OR_BRACKET, here());
        }
        close();
      }
    }
  }

 private:
  const uint32_t *offsets;
  size_t token_count;
  const uint8_t *bytes;
  size_t count;
  csimdjson_node *nodes;
  size_t capacity;
  size_t token = 0;
  size_t depth = 0;
  bool opened = false;
  uint32_t stack[CSIMDJSON_MAX_DEPTH];

  size_t here() const { return token < token_count ? offsets[token] : count; }

  bool fail(csimdjson_status status, size_t offset) {
    if (offset >= count && status >= CSIMDJSON_EXPECTED_VALUE) status = CSIMDJSON_UNFINISHED;
    failure = {status, offset};
    return false;
  }

  bool take(uint8_t byte) {
    if (token >= token_count || bytes[offsets[token]] != byte) return false;
    token++;
    return true;
  }

  bool add(csimdjson_kind kind, size_t start, size_t end, uint32_t extra = 0) {
    if (made == capacity) return fail(CSIMDJSON_TOO_MANY, start);
    nodes[made] = {uint32_t(start), uint32_t(end), uint32_t(made + 1), uint32_t(kind) << 29 | extra};
    made++;
    return true;
  }

  void close() {
    csimdjson_node &parent = nodes[stack[--depth]];
    parent.end = offsets[token - 1] + 1;
    parent.next = uint32_t(made);
  }

  bool value(size_t max_depth) {
    opened = false;
    if (token >= token_count) return fail(CSIMDJSON_EXPECTED_VALUE, count);
    const size_t at = offsets[token++];
    switch (bytes[at]) {
      case '{': return open(CSIMDJSON_OBJECT, at, '}', max_depth) && (!opened || name());
      case '[': return open(CSIMDJSON_ARRAY, at, ']', max_depth);
      case '"': return string(at);
      case 't': return literal(CSIMDJSON_TRUE, at, "true", 4);
      case 'f': return literal(CSIMDJSON_FALSE, at, "false", 5);
      case 'n': return literal(CSIMDJSON_NULL, at, "null", 4);
      default: return number(at);
    }
  }

  bool open(csimdjson_kind kind, size_t at, uint8_t closing, size_t max_depth) {
    if (depth >= max_depth || depth >= CSIMDJSON_MAX_DEPTH) return fail(CSIMDJSON_TOO_DEEP, at);
    stack[depth++] = uint32_t(made);
    if (!add(kind, at, at)) return false;
    opened = !take(closing);
    if (!opened) close();
    return true;
  }

  bool name() {
    if (token >= token_count || bytes[offsets[token]] != '"') return fail(CSIMDJSON_EXPECTED_NAME, here());
    if (!string(offsets[token++])) return false;
    return take(':') || fail(CSIMDJSON_EXPECTED_COLON, here());
  }

  // Only white space stands between the closing quote and the next token, so the end is found from there backwards.
  bool string(size_t quote) {
    const size_t start = quote + 1;
    size_t end = here();
    while (end > start && is_space(bytes[end - 1])) end--;
    if (end <= start || bytes[end - 1] != '"') return fail(CSIMDJSON_UNCLOSED_STRING, quote);
    end--;
    const void *escape = std::memchr(bytes + start, '\\', end - start);
    if (!escape) return add(CSIMDJSON_STRING, start, end);
    return escapes(static_cast<const uint8_t *>(escape) - bytes, end) && add(CSIMDJSON_STRING, start, end, escaped_bit);
  }

  bool escapes(size_t at, size_t end) {
    while (at < end) {
      if (bytes[at] != '\\') {
        at++;
        continue;
      }
      const size_t left = end - at;
      const bool single = left >= 2 && bytes[at + 1] && std::strchr("\"\\/bfnrt", bytes[at + 1]);
      const bool unicode = left >= 6 && bytes[at + 1] == 'u' && is_hex(bytes[at + 2]) && is_hex(bytes[at + 3])
                           && is_hex(bytes[at + 4]) && is_hex(bytes[at + 5]);
      if (!single && !unicode) return fail(CSIMDJSON_BAD_ESCAPE, at);
      at += single ? 2 : 6;
    }
    return true;
  }

  bool ends(size_t at) const {
    return at == count || is_space(bytes[at]) || bytes[at] == ',' || bytes[at] == ']' || bytes[at] == '}';
  }

  bool literal(csimdjson_kind kind, size_t at, const char *word, size_t length) {
    if (count - at < length) return fail(CSIMDJSON_EXPECTED_VALUE, std::memcmp(bytes + at, word, count - at) ? at : count);
    if (std::memcmp(bytes + at, word, length) != 0 || !ends(at + length)) return fail(CSIMDJSON_EXPECTED_VALUE, at);
    return add(kind, at, at + length);
  }

  bool number(size_t at) {
    const bool begun = bytes[at] == '-' || is_digit(bytes[at]);
    if (!begun) return fail(CSIMDJSON_EXPECTED_VALUE, at);
    const size_t length = csimdjson_number_length(bytes + at, count - at);
    if (length == 0 || !ends(at + length)) return fail(CSIMDJSON_BAD_NUMBER, at);
    return add(CSIMDJSON_NUMBER, at, at + length);
  }
};

}  // namespace

extern "C" {

size_t csimdjson_build(
  const csimdjson_tokens *tokens, const uint8_t *bytes, size_t count, size_t max_depth, csimdjson_node *nodes,
  size_t capacity, csimdjson_failure *failure) {
  Builder builder(tokens, bytes, count, nodes, capacity);
  const bool read = builder.document(max_depth);
  *failure = builder.failure;
  return read ? builder.made : 0;
}

size_t csimdjson_number_length(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t from = at;
    while (at < count && is_digit(bytes[at])) at++;
    return at > from;
  };
  if (at < count && bytes[at] == '-') at++;
  if (at < count && bytes[at] == '0') {
    at++;
  } else if (!digits()) {
    return 0;
  }
  if (at < count && bytes[at] == '.') {
    at++;
    if (!digits()) return 0;
  }
  if (at < count && (bytes[at] | 0x20) == 'e') {
    at++;
    if (at < count && (bytes[at] == '+' || bytes[at] == '-')) at++;
    if (!digits()) return 0;
  }
  return at;
}

uint32_t csimdjson_find(
  const uint8_t *bytes, const csimdjson_node *nodes, uint32_t object, const char *name, size_t length,
  bool *any_escaped) {
  uint32_t found = 0;
  *any_escaped = false;
  for (uint32_t at = object + 1, end = nodes[object].next; at < end; at = nodes[at + 1].next) {
    const csimdjson_node &key = nodes[at];
    if (csimdjson_node_escaped(key)) {
      *any_escaped = true;
    } else if (key.end - key.start == length && std::memcmp(bytes + key.start, name, length) == 0) {
      found = at + 1;
    }
  }
  return found;
}
}
