// SPDX-License-Identifier: Apache-2.0
#ifndef MUSUBI_SQLITE_SHIM_H
#define MUSUBI_SQLITE_SHIM_H

#include <sqlite3.h>

/// Binds a copy of a text; SQLITE_TRANSIENT is a cast macro that Swift cannot import.
static inline int musubi_sqlite3_bind_text(
    sqlite3_stmt *statement, int position, const char *text, sqlite3_uint64 bytes) {
  return sqlite3_bind_text64(statement, position, text, bytes, SQLITE_TRANSIENT, SQLITE_UTF8);
}

/// Binds a copy of a blob, for the same reason; an empty one is a blob too, not null.
static inline int musubi_sqlite3_bind_blob(
    sqlite3_stmt *statement, int position, const void *bytes, sqlite3_uint64 count) {
  return count == 0 ? sqlite3_bind_zeroblob(statement, position, 0)
                    : sqlite3_bind_blob64(statement, position, bytes, count, SQLITE_TRANSIENT);
}

/// Switches off what only old programs need; sqlite3_db_config() is variadic, which Swift cannot call.
///
/// Afterwards a misspelt column in double quotes is an error instead of a text, SQL cannot damage the file,
/// and a file from elsewhere cannot run functions of this program.
static inline void musubi_sqlite3_harden(sqlite3 *database) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}

#endif
