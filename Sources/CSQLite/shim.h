#pragma once

#include <sqlite3.h>
#include <stddef.h>

// What Swift cannot import: variadic calls, and SQLITE_TRANSIENT, a number cast to a function.

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
  return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Views, triggers and functions of a file that was tampered with cannot reach further; broken schemas are refused.
static inline void csqlite_distrust_schema(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
}
