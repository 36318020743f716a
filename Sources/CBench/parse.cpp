#include "CBench.h"

#include <simdjson.h>

static_assert(CBENCH_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further than the caller is told");

int64_t cbench_parse(const uint8_t *bytes, size_t count, const char *member) {
  static thread_local simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(bytes, count, false).get(document)) return -1;
  simdjson::dom::array array;
  if (document[member].get_array().get(array)) return -1;
  return static_cast<int64_t>(array.size());
}
