#include "CSimdjson.h"

#include <simdjson.h>

#define STR_(x) #x
#define STR(x) STR_(x)

extern "C" const char *csimdjson_version(void) { return STR(SIMDJSON_VERSION); }
