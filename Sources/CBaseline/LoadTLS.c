// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "Load.h"

/// Keeps the newest ticket of a connection for the next one in its place.
static int keep_ticket(SSL *tls, SSL_SESSION *session) {
  connection *c = SSL_get_app_data(tls);
  SSL_SESSION_free(c->tls_ticket);
  c->tls_ticket = session;
  return 1;
}

SSL_CTX *musubi_load_tls_create(void) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  if (!context) abort();
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, keep_ticket);
  return context;
}

void musubi_load_tls_begin(musubi_load *load, connection *c) {
  c->tls = SSL_new(load->tls);
  if (!c->tls) abort();
  SSL_set_app_data(c->tls, c);
  SSL_set_fd(c->tls, c->fd);
  SSL_set_connect_state(c->tls);
  if (load->plan.security == MUSUBI_TLS_RESUMED && c->tls_ticket) SSL_set_session(c->tls, c->tls_ticket);
}

int musubi_load_tls_continue(musubi_load *load, connection *c, bool *wants_to_write) {
  bool has_ticket = load->plan.security == MUSUBI_TLS_RESUMED && c->tls_ticket;
  ERR_clear_error();
  int result = SSL_do_handshake(c->tls);
  if (result == 1) {
    if (SSL_session_reused(c->tls) == has_ticket) return 1;
    musubi_load_fail(load, c, "the ticket was %s", has_ticket ? "refused" : "not asked for");
    return -1;
  }
  int error = SSL_get_error(c->tls, result);
  *wants_to_write = error == SSL_ERROR_WANT_WRITE;
  if (*wants_to_write || error == SSL_ERROR_WANT_READ) return 0;
  const char *reason = ERR_reason_error_string(ERR_peek_error());
  musubi_load_fail(load, c, "no TLS: %s", reason ? reason : "the server ended it");
  return -1;
}

void musubi_load_tls_end(connection *c) {
  if (!c->tls) return;
  // Else OpenSSL would call the session broken, and its ticket with it.
  SSL_set_quiet_shutdown(c->tls, 1);
  SSL_shutdown(c->tls);
  SSL_free(c->tls);
  c->tls = NULL;
}

/// What recv and send would return.
static ssize_t plain_result(const connection *c, int result) {
  int error = SSL_get_error(c->tls, result);
  if (error == SSL_ERROR_ZERO_RETURN) return 0;
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
  return -1;
}

ssize_t musubi_load_take_bytes(connection *c, uint8_t *bytes, size_t capacity) {
  if (!c->tls) return recv(c->fd, bytes, capacity, 0);
  size_t count = 0;
  int taken = 1;
  ERR_clear_error();
  // Until nothing is left inside, where epoll does not see it.
  while (taken > 0 && count < capacity) {
    size_t rest = capacity - count;
    taken = SSL_read(c->tls, bytes + count, rest > INT_MAX ? INT_MAX : (int)rest);
    if (taken > 0) count += (size_t)taken;
  }
  return count > 0 ? (ssize_t)count : plain_result(c, taken);
}

ssize_t musubi_load_give_bytes(connection *c, const uint8_t *bytes, size_t count) {
  if (!c->tls) return send(c->fd, bytes, count, MSG_NOSIGNAL);
  ERR_clear_error();
  int given = SSL_write(c->tls, bytes, (int)count);
  return given > 0 ? given : plain_result(c, given);
}
