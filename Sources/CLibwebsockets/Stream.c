// SPDX-License-Identifier: Apache-2.0
#include "Loop.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most_bytes_of_a_record = 16384 };

// Each idle connection has one: no more than the watcher, whose data is the owner, the way to the loop, and TLS.
struct musubi_stream {
  ev_io watcher;
  musubi_loop *loop;
  // The library's; NULL if the connection is plain.
  SSL *tls;
  // What the owner wants to hear of.
  unsigned char reads : 1, writes : 1;
  // A part of a record is on its way. OpenSSL must not read then: a message that asks for an answer, such as a change of
  // keys, would break into the record.
  unsigned char record_waits : 1;
  // An answer of that kind is on its way; nothing else may be written then.
  unsigned char answer_waits : 1;
  // TLS has to read before it can write on.
  unsigned char write_waits_for_reading : 1;
};

static void ready(struct ev_loop *loop, ev_io *watcher, int events) {
  const musubi_stream *self = (const musubi_stream *)watcher;
  int readable = (events & EV_READ) != 0, writable = (events & EV_WRITE) != 0;
  (void)loop;
  self->loop->handlers.stream_ready(
      watcher->data, self->reads && !self->record_waits && (self->answer_waits ? writable : readable),
      self->writes && (self->write_waits_for_reading ? readable : writable));
}

static void watch(musubi_stream *self) {
  int events = 0;
  if (self->reads && !self->record_waits)
    events |= self->answer_waits ? EV_WRITE : EV_READ;
  if (self->writes)
    events |= self->write_waits_for_reading ? EV_READ : EV_WRITE;
  ev_io_stop(self->loop->loop, &self->watcher);
  ev_io_set(&self->watcher, self->watcher.fd, events);
  if (events)
    ev_io_start(self->loop->loop, &self->watcher);
}

void musubi_stop_reading(struct lws *wsi) { lws_rx_flow_control(wsi, 0); }

void musubi_resume_reading(struct lws *wsi) { lws_rx_flow_control(wsi, 1); }

int musubi_has_read_ahead(struct lws *wsi) {
  struct lws_context *context = lws_get_context(wsi);
  // Time to wait means that nobody's bytes wait; connections that are not read from do not count.
  if (lws_service_adjust_timeout(context, 1, 0) > 0)
    return 0;
  lws_rx_flow_control(wsi, 0);
  int others = lws_service_adjust_timeout(context, 1, 0) == 0;
  lws_rx_flow_control(wsi, 1);
  return others ? 2 : 1;
}

// Whether the next record of TLS is an alert, which comes before an end: plain in TLS 1.2; in 1.3 its two bytes are encrypted, with
// one for their kind and 16 that seal them (RFC 8446, sections 5.2 and 6). No request has two bytes. OpenSSL would take the record
// out of the socket, from which the library is to read it if it is the next request.
static int begins_with_alert(const unsigned char *bytes, ssize_t count) {
  return count >= 5 && (bytes[0] == 21 || (bytes[0] == 23 && bytes[3] == 0 && bytes[4] == 2 + 1 + 16));
}

int musubi_stream_has_ended(const musubi_stream *self) {
  unsigned char bytes[5];
  ssize_t count = recv(self->watcher.fd, bytes, sizeof bytes, MSG_PEEK | MSG_DONTWAIT);
  return count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) ||
         (self->tls && begins_with_alert(bytes, count));
}

musubi_stream *musubi_stream_create(musubi_loop *loop, struct lws *wsi, void *owner) {
  musubi_stream *self = calloc(1, sizeof *self);
  if (!self)
    return NULL;
  self->loop = loop;
  self->tls = lws_get_ssl(wsi);
  // A write that takes a part says so: the rest is ours to keep, as without TLS.
  if (self->tls)
    SSL_set_mode(self->tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  self->reads = 1;
  ev_io_init(&self->watcher, ready, lws_get_socket_fd(wsi), EV_READ);
  self->watcher.data = owner;
  ev_io_start(loop->loop, &self->watcher);
  return self;
}

void musubi_stream_destroy(musubi_stream *self) {
  ev_io_stop(self->loop->loop, &self->watcher);
  free(self);
}

int musubi_stream_is_secure(const musubi_stream *self) { return self->tls != NULL; }

void musubi_stream_watch(musubi_stream *self, int reads, int writes) {
  self->reads = reads != 0;
  self->writes = writes != 0;
  watch(self);
}

// Reads whole records only, so that nothing stays inside of TLS, where no readiness tells of it.
static ssize_t receive_secure(musubi_stream *self, char *bytes, size_t capacity) {
  if (self->record_waits)
    return -1;
  size_t count = 0;
  int error = SSL_ERROR_NONE;
  while (error == SSL_ERROR_NONE && capacity - count >= most_bytes_of_a_record) {
    // The queue of errors is the thread's, and the library's connections use it, too.
    ERR_clear_error();
    int taken = SSL_read(self->tls, bytes + count, most_bytes_of_a_record);
    if (taken > 0)
      count += (size_t)taken;
    else
      error = SSL_get_error(self->tls, taken);
  }
  if (self->answer_waits != (error == SSL_ERROR_WANT_WRITE)) {
    self->answer_waits = error == SSL_ERROR_WANT_WRITE;
    watch(self);
  }
  if (error == SSL_ERROR_NONE || error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
    return count > 0 ? (ssize_t)count : -1;
  // The end is told after the bytes before it.
  if (count > 0)
    ev_feed_event(self->loop->loop, &self->watcher, EV_READ | EV_WRITE);
  return (ssize_t)count;
}

// Finishes an answer that is on its way: 1 if nothing is any more, 0 if it still is, -1 if the connection has ended.
static int finish_answer(musubi_stream *self) {
  if (!self->answer_waits)
    return 1;
  ERR_clear_error();
  int result = SSL_do_handshake(self->tls);
  if (result != 1)
    return SSL_get_error(self->tls, result) == SSL_ERROR_WANT_WRITE ? 0 : -1;
  self->answer_waits = 0;
  watch(self);
  return 1;
}

static ssize_t send_secure(musubi_stream *self, const char *bytes, size_t count) {
  int answered = finish_answer(self);
  if (answered < 1)
    return answered;
  size_t sent = 0;
  int had_waited = self->record_waits, error = SSL_ERROR_NONE;
  // After a record that had to wait the other direction has its turn.
  while (error == SSL_ERROR_NONE && sent < count && !(had_waited && sent > 0)) {
    ERR_clear_error();
    size_t rest = count - sent;
    int taken = SSL_write(self->tls, bytes + sent, rest > INT_MAX ? INT_MAX : (int)rest);
    if (taken > 0)
      sent += (size_t)taken;
    else
      error = SSL_get_error(self->tls, taken);
  }
  if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_WRITE && error != SSL_ERROR_WANT_READ)
    return -1;
  int record_waits = error == SSL_ERROR_WANT_WRITE, reading = error == SSL_ERROR_WANT_READ;
  if (record_waits != self->record_waits || reading != self->write_waits_for_reading) {
    self->record_waits = record_waits != 0;
    self->write_waits_for_reading = reading != 0;
    watch(self);
  }
  return (ssize_t)sent;
}

// Nobody cancels a loop's thread: without the C library's points of cancellation, which cost atomic operations.
ssize_t musubi_stream_receive(musubi_stream *self, void *bytes, size_t capacity) {
  if (self->tls)
    return receive_secure(self, bytes, capacity);
  ssize_t count = syscall(SYS_recvfrom, self->watcher.fd, bytes, capacity, 0, NULL, NULL);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return -1;
  return count > 0 ? count : 0;
}

ssize_t musubi_stream_send(musubi_stream *self, const void *bytes, size_t count) {
  if (self->tls)
    return send_secure(self, bytes, count);
  ssize_t sent = syscall(SYS_sendto, self->watcher.fd, bytes, count, MSG_NOSIGNAL, NULL, 0);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return 0;
  return sent;
}

void musubi_stream_end(musubi_stream *self) {
  if (self->tls) {
    ERR_clear_error();
    // Tells the end of the stream of TLS; nobody waits for the peer's.
    SSL_shutdown(self->tls);
  }
  shutdown(self->watcher.fd, SHUT_WR);
}
