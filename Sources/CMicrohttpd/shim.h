#pragma once
#include <microhttpd.h>

// MHD_start_daemon is variadic and the reader's return values are casts; Swift imports neither.

static const ssize_t cmicrohttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t cmicrohttpd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;
static const uint64_t cmicrohttpd_size_unknown = MHD_SIZE_UNKNOWN;

typedef void *(*cmicrohttpd_uri_callback)(void *context, const char *uri, struct MHD_Connection *connection);

static inline struct MHD_Daemon *cmicrohttpd_start(unsigned int flags, int listening_socket,
                                                   MHD_AccessHandlerCallback handler,
                                                   cmicrohttpd_uri_callback uri_seen,
                                                   MHD_RequestCompletedCallback completed, void *context,
                                                   size_t connection_memory, size_t memory_increment,
                                                   unsigned int connection_limit, unsigned int idle_seconds,
                                                   size_t stack_size) {
  return MHD_start_daemon(flags, 0, NULL, NULL, handler, context,
                          MHD_OPTION_LISTEN_SOCKET, listening_socket,
                          MHD_OPTION_URI_LOG_CALLBACK, uri_seen, context,
                          MHD_OPTION_NOTIFY_COMPLETED, completed, context,
                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
                          MHD_OPTION_CONNECTION_MEMORY_INCREMENT, memory_increment,
                          MHD_OPTION_CONNECTION_LIMIT, connection_limit,
                          MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
                          MHD_OPTION_THREAD_STACK_SIZE, stack_size, MHD_OPTION_END);
}
