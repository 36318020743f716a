#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable behind a document.
#define CBENCH_PADDING 64

/// Reads a document with simdjson's own parser, which is kept from one call to the next: what an answer costs at least.
///
/// Returns how many elements the array has that is the value of `member`; -1 when the document cannot be read so.
int64_t cbench_parse(const uint8_t *bytes, size_t count, const char *member);

#ifdef __cplusplus
}
#endif
