// SPDX-License-Identifier: Apache-2.0
#ifndef MUSUBI_POSTGRES_SHIM_H
#define MUSUBI_POSTGRES_SHIM_H

#include <postgresql/libpq-fe.h>

/// The SQLSTATE of a failed statement; PG_DIAG_SQLSTATE is a character, which Swift imports as another type.
static inline const char *musubi_postgres_sqlstate(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

/// The sentence of a failed statement, without the lines around it.
static inline const char *musubi_postgres_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

/// Takes notices and throws them away; libpq prints them to standard error else.
static inline void musubi_postgres_ignore_notice(void *argument, const PGresult *result) {
  (void)argument;
  (void)result;
}

#endif
