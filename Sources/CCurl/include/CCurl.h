#pragma once
#include <curl/curl.h>
#include <stdint.h>

// libcurl brings thirty libraries along, which costs every start of the program 3 ms; so it is loaded when the first
// request goes out. Call ccurl_load before any other function here. The calls that are variadic or macros in libcurl are
// typed functions.

/// 0 when the library is there; may be called from any thread, any number of times.
int ccurl_load(void);
CURLcode ccurl_global_init(void);

CURL *ccurl_easy_init(void);
void ccurl_easy_reset(CURL *handle);
void ccurl_easy_cleanup(CURL *handle);
CURLcode ccurl_easy_pause(CURL *handle, int bitmask);
const char *ccurl_easy_strerror(CURLcode code);

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value);
/// Null takes the setting back.
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value);

typedef size_t (*ccurl_data_callback)(char *bytes, size_t size, size_t count, void *context);
typedef int (*ccurl_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*ccurl_progress_callback)(void *context, curl_off_t down_total, curl_off_t down_now, curl_off_t up_total,
                                       curl_off_t up_now);
typedef int (*ccurl_ready_callback)(void *context, char *remote_address, char *local_address, int remote_port,
                                    int local_port);
CURLcode ccurl_set_write(CURL *handle, ccurl_data_callback callback, void *context);
CURLcode ccurl_set_header(CURL *handle, ccurl_data_callback callback, void *context);
CURLcode ccurl_set_read(CURL *handle, ccurl_data_callback callback, void *context);
CURLcode ccurl_set_seek(CURL *handle, ccurl_seek_callback callback, void *context);
CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_callback callback, void *context);
/// Called once a connection stands, just before the request goes out.
CURLcode ccurl_set_ready(CURL *handle, ccurl_ready_callback callback, void *context);
/// Sockets are closed on exec, so that a pager or editor inherits none.
CURLcode ccurl_set_close_on_exec(CURL *handle);

long ccurl_get_long(CURL *handle, CURLINFO info);
int64_t ccurl_get_size(CURL *handle, CURLINFO info);
/// Lives as long as the handle does; null where there is none.
const char *ccurl_get_text(CURL *handle, CURLINFO info);
void *ccurl_get_private(CURL *handle);

/// Milliseconds since data last arrived or was acknowledged on the transfer's socket; -1 when there is none yet.
/// Keep-alive probes would count, so none are sent.
int64_t ccurl_quiet_milliseconds(CURL *handle);

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text);
void ccurl_slist_free_all(struct curl_slist *list);

CURLM *ccurl_multi_init(void);
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode ccurl_multi_perform(CURLM *multi, int *running);
CURLMcode ccurl_multi_poll(CURLM *multi, int timeout_ms);
CURLMcode ccurl_multi_wakeup(CURLM *multi);
/// The next transfer that is done, or null.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

/// Names the calling thread, for debuggers and `top`; at most 15 characters.
void ccurl_name_thread(const char *name);

/// `libcurl/8.5.0 OpenSSL/3.0.11 …`
const char *ccurl_version(void);

extern const size_t ccurl_write_pause;
extern const size_t ccurl_read_pause;
extern const size_t ccurl_read_abort;
extern const int ccurl_pause_none;
