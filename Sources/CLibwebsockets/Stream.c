// SPDX-License-Identifier: Apache-2.0
#include "Loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Each idle connection has one: no more than the watcher, whose data is the owner, and the way to the loop.
struct musubi_stream {
  ev_io watcher;
  musubi_loop *loop;
};

static void ready(struct ev_loop *loop, ev_io *watcher, int events) {
  const musubi_stream *self = (const musubi_stream *)watcher;
  (void)loop;
  self->loop->handlers.stream_ready(watcher->data, (events & EV_READ) != 0, (events & EV_WRITE) != 0);
}

musubi_stream *musubi_stream_create(musubi_loop *loop, int descriptor, void *owner) {
  musubi_stream *self = malloc(sizeof *self);
  if (!self)
    return NULL;
  self->loop = loop;
  ev_io_init(&self->watcher, ready, descriptor, EV_READ);
  self->watcher.data = owner;
  ev_io_start(loop->loop, &self->watcher);
  return self;
}

musubi_stream *musubi_stream_take_over(musubi_loop *loop, struct lws *wsi, void *owner) {
  musubi_stream *self = musubi_stream_create(loop, lws_get_socket_fd(wsi), owner);
  // From here on the library neither reads nor writes; it keeps the descriptor, and closes it in the end.
  if (self)
    lws_rx_flow_control(wsi, 0);
  return self;
}

int musubi_stream_destroy(musubi_stream *self) {
  int descriptor = self->watcher.fd;
  ev_io_stop(self->loop->loop, &self->watcher);
  free(self);
  return descriptor;
}

void musubi_stream_close(musubi_stream *self) { close(musubi_stream_destroy(self)); }

void musubi_stream_watch(musubi_stream *self, int reads, int writes) {
  int events = (reads ? EV_READ : 0) | (writes ? EV_WRITE : 0);
  ev_io_stop(self->loop->loop, &self->watcher);
  ev_io_set(&self->watcher, self->watcher.fd, events);
  if (events)
    ev_io_start(self->loop->loop, &self->watcher);
}

// Nobody cancels a loop's thread: without the C library's points of cancellation, which cost atomic operations.
static ssize_t receive(musubi_stream *self, void *bytes, size_t capacity, int flags) {
  ssize_t count = syscall(SYS_recvfrom, self->watcher.fd, bytes, capacity, flags, NULL, NULL);
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return -1;
  return count > 0 ? count : 0;
}

ssize_t musubi_stream_receive(musubi_stream *self, void *bytes, size_t capacity) {
  return receive(self, bytes, capacity, 0);
}

ssize_t musubi_stream_peek(musubi_stream *self, void *bytes, size_t capacity) {
  return receive(self, bytes, capacity, MSG_PEEK);
}

ssize_t musubi_stream_send(musubi_stream *self, const void *bytes, size_t count) {
  ssize_t sent = syscall(SYS_sendto, self->watcher.fd, bytes, count, MSG_NOSIGNAL, NULL, 0);
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return 0;
  return sent;
}

void musubi_stream_end(musubi_stream *self) { shutdown(self->watcher.fd, SHUT_WR); }
