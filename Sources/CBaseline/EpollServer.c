// SPDX-License-Identifier: Apache-2.0
//
// The machine's limit: per turn of the loop one epoll_wait, per connection one recv and one send. Several loops share
// nothing but the port.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "CBaseline.h"
#include "WebSocket.h"

#define SCRATCH (1 << 20)

/// Bytes that a socket did not take or a frame that is not complete; empty for nearly every connection.
typedef struct {
  uint8_t *bytes;
  size_t count;
} rest;

typedef struct connection {
  int fd;
  bool is_open, broadcasts;
  size_t reply_length;
  rest in, out;
  struct connection *previous, *next;  // the list of those who get broadcasts
} connection;

typedef struct {
  int epoll;
  connection *audience;
  uint8_t in[SCRATCH], out[SCRATCH], batch[SCRATCH];
  size_t batch_count;
} loop;

/// The thread's own.
static _Thread_local loop *server;

static void keep(rest *rest, const uint8_t *bytes, size_t count) {
  uint8_t *larger = realloc(rest->bytes, rest->count + count);
  if (!larger) abort();
  memcpy(larger + rest->count, bytes, count);
  rest->bytes = larger;
  rest->count += count;
}

static void drop(rest *rest) {
  free(rest->bytes);
  rest->bytes = NULL;
  rest->count = 0;
}

static void watch(connection *c, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  epoll_ctl(server->epoll, operation, c->fd, &event);
}

static void finish(connection *c) {
  if (c->broadcasts) {
    if (c->previous) c->previous->next = c->next;
    else server->audience = c->next;
    if (c->next) c->next->previous = c->previous;
  }
  close(c->fd);
  drop(&c->in);
  drop(&c->out);
  free(c);
}

/// Sends now what the socket takes, and the rest when it is writable again.
static void send_bytes(connection *c, const uint8_t *bytes, size_t count) {
  if (c->out.count == 0) {
    ssize_t sent = send(c->fd, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) sent = 0;  // a lost connection is seen by the next recv
    if ((size_t)sent == count) return;
    bytes += sent;
    count -= (size_t)sent;
    watch(c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  }
  keep(&c->out, bytes, count);
}

static void send_rest(connection *c) {
  ssize_t sent = send(c->fd, c->out.bytes, c->out.count, MSG_NOSIGNAL);
  if (sent <= 0) return;  // an error also wakes `receive`, which ends the connection
  c->out.count -= (size_t)sent;
  memmove(c->out.bytes, c->out.bytes + sent, c->out.count);
  if (c->out.count > 0) return;
  drop(&c->out);
  watch(c, EPOLL_CTL_MOD, EPOLLIN);
}

/// Appends an answer to `out`: the message, filled up by spaces.
static size_t append_answer(uint8_t *out, const musubi_frame *frame, size_t length) {
  if (length < frame->length) length = frame->length;
  size_t header = musubi_baseline_frame_header(out, MUSUBI_TEXT, length);
  memcpy(out + header, frame->payload, frame->length);
  memset(out + header + frame->length, ' ', length - frame->length);
  return header + length;
}

/// Answers the handshake; false if it is none.
static bool greet(connection *c, char *request) {
  char *key = strcasestr(request, "\r\nSec-WebSocket-Key: ");
  char *line_end = strchr(request, '\r');
  if (strncmp(request, "GET ", 4) != 0 || !key || !line_end) return false;
  key += 21;
  char accept[MUSUBI_ACCEPT_LENGTH], answer[4096];
  musubi_baseline_accept(key, strcspn(key, "\r"), accept);
  *line_end = 0;
  size_t greeting = musubi_baseline_query_number(request, "greeting=");
  int count = snprintf(answer, sizeof answer,
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Accept: %.28s\r\nSec-WebSocket-Protocol: musubi.v1\r\n\r\n",
                       accept);
  if (greeting > 0 && greeting < 2048) {
    musubi_frame nothing = {0};
    count += (int)append_answer((uint8_t *)answer + count, &nothing, greeting);
  }
  c->is_open = true;
  c->reply_length = musubi_baseline_query_number(request, "reply=");
  if (strncmp(request, "GET /broadcast", 14) == 0) {
    c->broadcasts = true;
    c->next = server->audience;
    if (c->next) c->next->previous = c;
    server->audience = c;
  }
  send_bytes(c, (uint8_t *)answer, (size_t)count);
  return true;
}

/// Sends the turn's publications to the whole audience, with one send for each.
static void publish(void) {
  for (connection *c = server->audience; c && server->batch_count > 0; c = c->next)
    send_bytes(c, server->batch, server->batch_count);
  server->batch_count = 0;
}

/// Takes the frames that `server->in` holds; the number of bytes used, or -1 at the connection's end.
static ssize_t take_frames(connection *c, size_t count) {
  size_t used = 0, answered = 0;
  ssize_t length;
  musubi_frame frame;
  while ((length = musubi_baseline_frame_parse(server->in + used, count - used, &frame)) > 0) {
    used += (size_t)length;
    if (frame.opcode == MUSUBI_CLOSE) return -1;
    if (frame.opcode != MUSUBI_TEXT) continue;
    uint8_t *out = c->broadcasts ? server->batch : server->out;
    size_t *filled = c->broadcasts ? &server->batch_count : &answered;
    if (*filled + frame.length + c->reply_length + MUSUBI_HEADER_LENGTH > SCRATCH) {
      if (c->broadcasts) publish();
      else send_bytes(c, out, *filled);
      *filled = 0;
    }
    *filled += append_answer(out + *filled, &frame, c->reply_length);
  }
  if (answered > 0) send_bytes(c, server->out, answered);
  return length < 0 ? -1 : (ssize_t)used;
}

static void receive(connection *c) {
  size_t kept = c->in.count;
  if (kept > 0) memcpy(server->in, c->in.bytes, kept);
  drop(&c->in);
  ssize_t got = recv(c->fd, server->in + kept, SCRATCH / 4, 0);
  if (got < 0 && errno == EAGAIN) got = 0;
  else if (got <= 0) return finish(c);
  size_t count = kept + (size_t)got;
  ssize_t used = 0;
  if (c->is_open) {
    used = take_frames(c, count);
  } else if (memmem(server->in, count, "\r\n\r\n", 4)) {
    server->in[count] = 0;
    used = greet(c, (char *)server->in) ? (ssize_t)count : -1;
  }
  if (used < 0 || count - (size_t)used > SCRATCH / 2) return finish(c);
  if (count > (size_t)used) keep(&c->in, server->in + used, count - (size_t)used);
}

static void accept_all(int listener) {
  int fd, yes = 1;
  while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
    connection *c = calloc(1, sizeof *c);
    if (!c) abort();
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    c->fd = fd;
    watch(c, EPOLL_CTL_ADD, EPOLLIN);
  }
}

/// Listens on a port that loops share, 0 for any; -1 if that fails.
static int listen_on(const char *host, uint16_t port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  int yes = 1;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (inet_pton(AF_INET, host, &address.sin_addr) != 1 || listener < 0 ||
      setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &yes, sizeof yes) != 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0)
    return -1;
  return listener;
}

static uint16_t port_of(int listener) {
  struct sockaddr_in address = {0};
  socklen_t length = sizeof address;
  getsockname(listener, (struct sockaddr *)&address, &length);
  return ntohs(address.sin_port);
}

/// Serves those that one listening socket gets; `argument` is its descriptor.
static void *serve(void *argument) {
  int listener = (int)(intptr_t)argument;
  server = calloc(1, sizeof *server);
  if (!server) abort();
  server->epoll = epoll_create1(EPOLL_CLOEXEC);
  if (server->epoll < 0) abort();
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[1024];
  epoll_ctl(server->epoll, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    int count = epoll_wait(server->epoll, events, 1024, -1);
    for (int i = 0; i < count; i++) {
      connection *c = events[i].data.ptr;
      if (!c) {
        accept_all(listener);
        continue;
      }
      if (events[i].events & EPOLLOUT) send_rest(c);
      if (events[i].events & ~EPOLLOUT) receive(c);
    }
    publish();
  }
}

int musubi_serve_epoll(const char *address, int loops) {
  int first = listen_on(address, 0);
  if (first < 0) return 1;
  for (int i = 1; i < loops; i++) {
    int listener = listen_on(address, port_of(first));
    pthread_t thread;
    if (listener < 0 || pthread_create(&thread, NULL, serve, (void *)(intptr_t)listener) != 0) return 1;
  }
  printf("listening on %s:%d\n", address, port_of(first));
  fflush(stdout);
  serve((void *)(intptr_t)first);
  return 1;
}
