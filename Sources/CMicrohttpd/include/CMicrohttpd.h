#pragma once
#include <microhttpd.h>

// libmicrohttpd brings GnuTLS along, which costs every start of the program more than its first paint may take; so it is
// loaded when the first server starts. Call cmicrohttpd_load before any other function here.

/// 0 when the library is there; may be called from any thread, any number of times.
int cmicrohttpd_load(void);

extern const ssize_t cmicrohttpd_end_of_stream;
extern const ssize_t cmicrohttpd_end_with_error;
extern const uint64_t cmicrohttpd_size_unknown;

typedef void *(*cmicrohttpd_uri_callback)(void *context, const char *uri, struct MHD_Connection *connection);

/// Certificate chain and key are PEM texts, or both null for plain HTTP; the library keeps copies.
struct MHD_Daemon *cmicrohttpd_start(unsigned int flags, int listening_socket, MHD_AccessHandlerCallback handler,
                                     cmicrohttpd_uri_callback uri_seen, MHD_RequestCompletedCallback completed,
                                     void *context, size_t connection_memory, size_t memory_increment,
                                     unsigned int connection_limit, unsigned int idle_seconds, size_t stack_size,
                                     const char *certificate, const char *key);
void cmicrohttpd_stop(struct MHD_Daemon *daemon);
int cmicrohttpd_connection_values(struct MHD_Connection *connection, enum MHD_ValueKind kind,
                                  MHD_KeyValueIterator iterator, void *context);
struct MHD_Response *cmicrohttpd_response_copying(const void *bytes, size_t size);
struct MHD_Response *cmicrohttpd_response_from_callback(uint64_t size, size_t block_size, MHD_ContentReaderCallback reader,
                                                        void *context, MHD_ContentReaderFreeCallback free_context);
struct MHD_Response *cmicrohttpd_response_from_file(uint64_t size, int file, uint64_t offset);
enum MHD_Result cmicrohttpd_add_header(struct MHD_Response *response, const char *name, const char *value);
enum MHD_Result cmicrohttpd_queue(struct MHD_Connection *connection, unsigned int status,
                                  struct MHD_Response *response);
void cmicrohttpd_destroy(struct MHD_Response *response);
