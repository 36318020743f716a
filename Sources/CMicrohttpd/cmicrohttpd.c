#include "CMicrohttpd.h"
#include <dlfcn.h>
#include <pthread.h>

const ssize_t cmicrohttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
const ssize_t cmicrohttpd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
const uint64_t cmicrohttpd_size_unknown = MHD_SIZE_UNKNOWN;

// Written once under `once`, read only afterwards.
static struct {
  __typeof__(&MHD_start_daemon) start_daemon;
  __typeof__(&MHD_stop_daemon) stop_daemon;
  __typeof__(&MHD_get_connection_values) get_connection_values;
  __typeof__(&MHD_create_response_from_buffer) create_response_from_buffer;
  __typeof__(&MHD_create_response_from_callback) create_response_from_callback;
  __typeof__(&MHD_create_response_from_fd_at_offset64) create_response_from_fd_at_offset64;
  __typeof__(&MHD_add_response_header) add_response_header;
  __typeof__(&MHD_queue_response) queue_response;
  __typeof__(&MHD_destroy_response) destroy_response;
} api;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int load_result = -1;

static void load(void) {
  void *library = dlopen("libmicrohttpd.so.12", RTLD_LAZY | RTLD_LOCAL);
  if (!library) return;
#define LOAD(name)                                                     \
  do {                                                                 \
    api.name = (__typeof__(api.name))dlsym(library, "MHD_" #name); \
    if (!api.name) return;                                             \
  } while (0)
  LOAD(start_daemon);
  LOAD(stop_daemon);
  LOAD(get_connection_values);
  LOAD(create_response_from_buffer);
  LOAD(create_response_from_callback);
  LOAD(create_response_from_fd_at_offset64);
  LOAD(add_response_header);
  LOAD(queue_response);
  LOAD(destroy_response);
#undef LOAD
  load_result = 0;
}

int cmicrohttpd_load(void) {
  pthread_once(&once, load);
  return load_result;
}

struct MHD_Daemon *cmicrohttpd_start(unsigned int flags, int listening_socket, MHD_AccessHandlerCallback handler,
                                     cmicrohttpd_uri_callback uri_seen, MHD_RequestCompletedCallback completed,
                                     void *context, size_t connection_memory, size_t memory_increment,
                                     unsigned int connection_limit, unsigned int idle_seconds, size_t stack_size,
                                     const char *certificate, const char *key) {
  struct MHD_OptionItem identity[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)certificate},
                                      {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
                                      {MHD_OPTION_END, 0, NULL}};
  if (!certificate) identity[0].option = MHD_OPTION_END;
  return api.start_daemon(flags, 0, NULL, NULL, handler, context,
                          MHD_OPTION_LISTEN_SOCKET, listening_socket,
                          MHD_OPTION_URI_LOG_CALLBACK, uri_seen, context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                          MHD_OPTION_CONNECTION_MEMORY_INCREMENT, memory_increment,
                          MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                          MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
                          MHD_OPTION_THREAD_STACK_SIZE, stack_size, MHD_OPTION_ARRAY, identity, MHD_OPTION_END);
}

void cmicrohttpd_stop(struct MHD_Daemon *daemon) { api.stop_daemon(daemon); }

int cmicrohttpd_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                                  MHD_KeyValueIterator iterator, void *context) {
  return api.get_connection_values(connection, kind, iterator, context);
}

struct MHD_Response *cmicrohttpd_response_copying(const void *bytes, size_t size) {
  return api.create_response_from_buffer(size, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

struct MHD_Response *cmicrohttpd_response_from_callback(uint64_t size, size_t block_size, MHD_ContentReaderCallback reader,
                                                        void *context, MHD_ContentReaderFreeCallback free_context) {
  return api.create_response_from_callback(size, block_size, reader, context, free_context);
}

struct MHD_Response *cmicrohttpd_response_from_file(uint64_t size, int file, uint64_t offset) {
  return api.create_response_from_fd_at_offset64(size, file, offset);
}

enum MHD_Result cmicrohttpd_add_header(struct MHD_Response *response, const char *name, const char *value) {
  return api.add_response_header(response, name, value);
}

enum MHD_Result cmicrohttpd_queue(struct MHD_Connection *connection, unsigned int status,
                                  struct MHD_Response *response) {
  return api.queue_response(connection, status, response);
}

void cmicrohttpd_destroy(struct MHD_Response *response) { api.destroy_response(response); }
