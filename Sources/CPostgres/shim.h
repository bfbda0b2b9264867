// SPDX-License-Identifier: Apache-2.0
#ifndef MUSUBI_POSTGRES_SHIM_H
#define MUSUBI_POSTGRES_SHIM_H

#include <postgresql/libpq-fe.h>
#include <string.h>

/// The SQLSTATE of a failed statement; PG_DIAG_SQLSTATE is a character, which Swift imports as another type.
static inline const char *musubi_postgres_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// The sentence of a failed statement, without the lines around it.
static inline const char *musubi_postgres_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

/// Takes notices, which libpq prints to standard error else; one of the wait for a standby is noted in an int: the wait was
/// cancelled, and the commit is answered all the same. The server's words are in its language, the name of its function is not.
static inline void musubi_postgres_take_notice(void *warned, const PGresult *result) {
  const char *function = PQresultErrorField(result, PG_DIAG_SOURCE_FUNCTION);
  if (function && !strcmp(function, "SyncRepWaitForLSN")) *(int *)warned = 1;
}

#endif
