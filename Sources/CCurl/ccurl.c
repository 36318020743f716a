#define _GNU_SOURCE
#include "CCurl.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

const size_t ccurl_write_pause = CURL_WRITEFUNC_PAUSE;
const size_t ccurl_read_pause = CURL_READFUNC_PAUSE;
const size_t ccurl_read_abort = CURL_READFUNC_ABORT;
const int ccurl_pause_none = CURLPAUSE_CONT;

// <curl/typecheck-gcc.h> and <curl/multi.h> put macros in front of these.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

// Written once under `once`, read only afterwards.
static struct {
  __typeof__(&curl_global_init) global_init;
  __typeof__(&curl_version) version;
  __typeof__(&curl_easy_init) easy_init;
  __typeof__(&curl_easy_reset) easy_reset;
  __typeof__(&curl_easy_cleanup) easy_cleanup;
  __typeof__(&curl_easy_pause) easy_pause;
  __typeof__(&curl_easy_strerror) easy_strerror;
  __typeof__(&curl_easy_setopt) easy_setopt;
  __typeof__(&curl_easy_getinfo) easy_getinfo;
  __typeof__(&curl_slist_append) slist_append;
  __typeof__(&curl_slist_free_all) slist_free_all;
  __typeof__(&curl_multi_init) multi_init;
  __typeof__(&curl_multi_setopt) multi_setopt;
  __typeof__(&curl_multi_add_handle) multi_add_handle;
  __typeof__(&curl_multi_remove_handle) multi_remove_handle;
  __typeof__(&curl_multi_perform) multi_perform;
  __typeof__(&curl_multi_poll) multi_poll;
  __typeof__(&curl_multi_wakeup) multi_wakeup;
  __typeof__(&curl_multi_info_read) multi_info_read;
} api;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int load_result = -1;

static void load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
#define LOAD(name)                                                      \
  do {                                                                  \
    api.name = (__typeof__(api.name))dlsym(library, "curl_" #name); \
    if (!api.name) return;                                              \
  } while (0)
  LOAD(global_init);
  LOAD(version);
  LOAD(easy_init);
  LOAD(easy_reset);
  LOAD(easy_cleanup);
  LOAD(easy_pause);
  LOAD(easy_strerror);
  LOAD(easy_setopt);
  LOAD(easy_getinfo);
  LOAD(slist_append);
  LOAD(slist_free_all);
  LOAD(multi_init);
  LOAD(multi_setopt);
  LOAD(multi_add_handle);
  LOAD(multi_remove_handle);
  LOAD(multi_perform);
  LOAD(multi_poll);
  LOAD(multi_wakeup);
  LOAD(multi_info_read);
#undef LOAD
  load_result = 0;
}

int ccurl_load(void) {
  pthread_once(&once, load);
  return load_result;
}

void ccurl_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

CURLcode ccurl_global_init(void) { return api.global_init(CURL_GLOBAL_DEFAULT); }
const char *ccurl_version(void) { return api.version(); }

CURL *ccurl_easy_init(void) { return api.easy_init(); }
void ccurl_easy_reset(CURL *handle) { api.easy_reset(handle); }
void ccurl_easy_cleanup(CURL *handle) { api.easy_cleanup(handle); }
CURLcode ccurl_easy_pause(CURL *handle, int bitmask) { return api.easy_pause(handle, bitmask); }
const char *ccurl_easy_strerror(CURLcode code) { return api.easy_strerror(code); }

CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return api.easy_setopt(handle, option, value); }
CURLcode ccurl_set_size(CURL *handle, CURLoption option, int64_t value) {
  return api.easy_setopt(handle, option, (curl_off_t)value);
}
CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return api.easy_setopt(handle, option, value);
}
CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return api.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_write(CURL *handle, ccurl_data_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_WRITEDATA, context);
  return api.easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
}
CURLcode ccurl_set_header(CURL *handle, ccurl_data_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_HEADERDATA, context);
  return api.easy_setopt(handle, CURLOPT_HEADERFUNCTION, callback);
}
CURLcode ccurl_set_read(CURL *handle, ccurl_data_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_READDATA, context);
  return api.easy_setopt(handle, CURLOPT_READFUNCTION, callback);
}
CURLcode ccurl_set_seek(CURL *handle, ccurl_seek_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_SEEKDATA, context);
  return api.easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}
CURLcode ccurl_set_progress(CURL *handle, ccurl_progress_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_XFERINFODATA, context);
  api.easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  return api.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, callback);
}
CURLcode ccurl_set_ready(CURL *handle, ccurl_ready_callback callback, void *context) {
  api.easy_setopt(handle, CURLOPT_PREREQDATA, context);
  return api.easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

static int mark_close_on_exec(void *context, curl_socket_t socket, curlsocktype purpose) {
  (void)context;
  (void)purpose;
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  return CURL_SOCKOPT_OK;
}
CURLcode ccurl_set_close_on_exec(CURL *handle) {
  return api.easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, mark_close_on_exec);
}

long ccurl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  api.easy_getinfo(handle, info, &value);
  return value;
}
int64_t ccurl_get_size(CURL *handle, CURLINFO info) {
  curl_off_t value = 0;
  api.easy_getinfo(handle, info, &value);
  return value;
}
const char *ccurl_get_text(CURL *handle, CURLINFO info) {
  char *value = NULL;
  api.easy_getinfo(handle, info, &value);
  return value;
}
void *ccurl_get_private(CURL *handle) {
  char *value = NULL;
  api.easy_getinfo(handle, CURLINFO_PRIVATE, &value);
  return value;
}

int64_t ccurl_quiet_milliseconds(CURL *handle) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  struct tcp_info state;
  socklen_t size = sizeof state;
  if (api.easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK || socket == CURL_SOCKET_BAD) return -1;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &state, &size) != 0) return -1;
  return state.tcpi_last_data_recv < state.tcpi_last_ack_recv ? state.tcpi_last_data_recv : state.tcpi_last_ack_recv;
}

struct curl_slist *ccurl_slist_append(struct curl_slist *list, const char *text) {
  return api.slist_append(list, text);
}
void ccurl_slist_free_all(struct curl_slist *list) { api.slist_free_all(list); }

CURLM *ccurl_multi_init(void) { return api.multi_init(); }
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return api.multi_setopt(multi, option, value);
}
CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *handle) { return api.multi_add_handle(multi, handle); }
CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *handle) { return api.multi_remove_handle(multi, handle); }
CURLMcode ccurl_multi_perform(CURLM *multi, int *running) { return api.multi_perform(multi, running); }
CURLMcode ccurl_multi_poll(CURLM *multi, int timeout_ms) { return api.multi_poll(multi, NULL, 0, timeout_ms, NULL); }
CURLMcode ccurl_multi_wakeup(CURLM *multi) { return api.multi_wakeup(multi); }

CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result) {
  int left = 0;
  for (CURLMsg *message; (message = api.multi_info_read(multi, &left));) {
    if (message->msg != CURLMSG_DONE) continue;
    *result = message->data.result;
    return message->easy_handle;
  }
  return NULL;
}
