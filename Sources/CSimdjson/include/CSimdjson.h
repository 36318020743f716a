#pragma once
#ifdef __cplusplus
extern "C" {
#endif
/// Version of the linked simdjson, for `atrium --version`.
const char *csimdjson_version(void);
#ifdef __cplusplus
}
#endif
