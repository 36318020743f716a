#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What stands at a node of a parsed document.
typedef enum csimdjson_kind : uint8_t {
  CSIMDJSON_NULL,
  CSIMDJSON_TRUE,
  CSIMDJSON_FALSE,
  CSIMDJSON_NUMBER,
  CSIMDJSON_STRING,
  CSIMDJSON_ARRAY,
  CSIMDJSON_OBJECT,
} csimdjson_kind;

/// One value or member name. Nodes stand in source order, so the node after `i` and all it contains is `next`.
/// A member of an object is two nodes: its name, then its value.
typedef struct csimdjson_node {
  /// First byte in the source; for a string, the byte after its opening quote.
  uint32_t start;
  /// Byte after the last; for a string, its closing quote.
  uint32_t end;
  /// Index of the node that follows this one and everything inside it.
  uint32_t next;
  /// Number of elements or members; low 28 bits. The high bits hold kind and escapes, see the functions below.
  uint32_t packed;
} csimdjson_node;

static inline csimdjson_kind csimdjson_node_kind(csimdjson_node node) { return (csimdjson_kind)(node.packed >> 29); }
static inline uint32_t csimdjson_node_count(csimdjson_node node) { return node.packed & 0x0fffffff; }
/// Whether a string holds backslashes; without them its bytes are its text.
static inline bool csimdjson_node_escaped(csimdjson_node node) { return node.packed & 0x10000000; }

/// The largest document: what a node can count.
#define CSIMDJSON_MAX_BYTES 0x0fffffff
/// The deepest nesting, as in simdjson itself.
#define CSIMDJSON_MAX_DEPTH 1024

typedef enum csimdjson_status : uint8_t {
  CSIMDJSON_OK,
  CSIMDJSON_EMPTY,
  CSIMDJSON_OUT_OF_MEMORY,
  CSIMDJSON_TOO_LARGE,
  CSIMDJSON_TOO_DEEP,
  CSIMDJSON_TOO_MANY,
  CSIMDJSON_NOT_UTF8,
  CSIMDJSON_UNFINISHED,
  CSIMDJSON_UNCLOSED_STRING,
  CSIMDJSON_CONTROL_IN_STRING,
  CSIMDJSON_BAD_ESCAPE,
  CSIMDJSON_BAD_NUMBER,
  CSIMDJSON_EXPECTED_VALUE,
  CSIMDJSON_EXPECTED_NAME,
  CSIMDJSON_EXPECTED_COLON,
  CSIMDJSON_EXPECTED_COMMA_OR_BRACE,
  CSIMDJSON_EXPECTED_COMMA_OR_BRACKET,
  CSIMDJSON_EXPECTED_END,
} csimdjson_status;

/// Why a document could not be read, and the byte where that shows.
typedef struct csimdjson_failure {
  csimdjson_status status;
  size_t offset;
} csimdjson_failure;

/// Where the tokens of one document begin: what simdjson's first stage finds, and no more.
typedef struct csimdjson_tokens csimdjson_tokens;

/// Finds all tokens of a document and checks that it is UTF-8 and that its strings end. Reads no byte past `count`.
/// Returns null and fills `failure` otherwise. To be given to `csimdjson_release` on the same thread.
csimdjson_tokens *csimdjson_scan(const uint8_t *bytes, size_t count, csimdjson_failure *failure);

/// An upper bound of the nodes `csimdjson_build` can make.
size_t csimdjson_node_bound(const csimdjson_tokens *tokens);

/// Checks the grammar and writes the nodes. Returns their number, or 0 with `failure` filled.
size_t csimdjson_build(
  const csimdjson_tokens *tokens, const uint8_t *bytes, size_t count, size_t max_depth, csimdjson_node *nodes,
  size_t capacity, csimdjson_failure *failure);

void csimdjson_release(csimdjson_tokens *tokens);

/// The value of the last member of `object` whose name has no escapes and is exactly these bytes, or 0.
/// `*any_escaped` tells whether there were names with escapes, which are left to the caller.
uint32_t csimdjson_find(
  const uint8_t *bytes, const csimdjson_node *nodes, uint32_t object, const char *name, size_t length,
  bool *any_escaped);

/// Length of the number, by the grammar of RFC 8259, at the start of these bytes; 0 when there is none.
size_t csimdjson_number_length(const uint8_t *bytes, size_t count);

/// Version of the linked simdjson, for `atrium --version`.
const char *csimdjson_version(void);

#ifdef __cplusplus
}
#endif
