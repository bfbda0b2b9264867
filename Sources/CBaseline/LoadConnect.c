// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "Load.h"

/// Any key does for a client that talks to its own servers; a constant one lets the answer be compared.
static const char handshake_key[] = "bXVzdWJpLWJlbmNoLWtleQ==";

static void watch(musubi_load *load, connection *c, int operation, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = c};
  epoll_ctl(load->epoll, operation, c->fd, &event);
}

/// The port of a connection.
static uint16_t port_of(const musubi_load *load, const connection *c) {
  uint32_t place = c->number % (load->plan.further_port_count + 1);
  return place == 0 ? load->plan.port : load->plan.further_ports[place - 1];
}

void musubi_load_connect(musubi_load *load, connection *c) {
  int yes = 1;
  c->number = load->next_number++;
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr = load->address, .sin_port = htons(port_of(load, c))};
  c->phase = CONNECTING;
  c->greeted = 0;
  c->is_resuming = load->plan.resumes && c->ticket.session[0];
  c->sent = c->answered = c->acknowledged = 0;
  if (!c->is_resuming) c->sequence = c->revision = 0;
  c->started_at = musubi_now_ns();
  c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (c->fd < 0) return musubi_load_fail(load, c, "no socket: %s", strerror(errno));
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0 && errno != EINPROGRESS)
    return musubi_load_fail(load, c, "cannot connect: %s", strerror(errno));
  watch(load, c, EPOLL_CTL_ADD, EPOLLIN | EPOLLOUT);
}

void musubi_load_disconnect(connection *c) {
  struct linger at_once = {.l_onoff = 1, .l_linger = 0};
  if (c->fd < 0) return;
  musubi_load_tls_end(c);
  setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(c->fd);
  c->fd = -1;
  c->phase = LEFT;
  free(c->in.bytes);
  free(c->out.bytes);
  c->in = c->out = (waiting){0};
}

void musubi_load_send(musubi_load *load, connection *c, const uint8_t *bytes, size_t count) {
  if (c->out.count == 0) {
    ssize_t sent = musubi_load_give_bytes(c, bytes, count);
    if (sent < 0 && errno != EAGAIN) return musubi_load_fail(load, c, "cannot send: %s", strerror(errno));
    if (sent < 0) sent = 0;
    if ((size_t)sent == count) return;
    bytes += sent;
    count -= (size_t)sent;
    watch(load, c, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  }
  uint8_t *larger = realloc(c->out.bytes, c->out.count + count);
  if (!larger) return musubi_load_fail(load, c, "no memory");
  memcpy(larger + c->out.count, bytes, count);
  c->out = (waiting){larger, c->out.count + count};
}

/// Writes `{c}` in a target as the connection's number.
static void expand(const char *target, uint32_t number, char *out, size_t capacity) {
  const char *place = strstr(target, "{c}");
  if (!place) snprintf(out, capacity, "%s", target);
  else snprintf(out, capacity, "%.*s%u%s", (int)(place - target), target, number, place + 3);
}

static void send_handshake(musubi_load *load, connection *c) {
  char target[512], request[1024];
  const char *path = c->is_idle ? load->idle_path : c->is_resuming ? load->resume_path : load->path;
  expand(path, c->number, target, sizeof target);
  static const char format[] =
      "GET %s HTTP/1.1\r\nHost: %s:%u\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\nSec-WebSocket-Protocol: %s\r\n\r\n";
  int count = snprintf(
      request, sizeof request, format, target, inet_ntoa(load->address), port_of(load, c), handshake_key,
      load->protocol);
  c->phase = HANDSHAKE;
  watch(load, c, EPOLL_CTL_MOD, EPOLLIN);
  musubi_load_send(load, c, (uint8_t *)request, (size_t)count);
}

/// Finds out whether connect() succeeded.
static bool is_connected(musubi_load *load, connection *c) {
  int failure = 0;
  socklen_t length = sizeof failure;
  getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &failure, &length);
  if (failure != 0) musubi_load_fail(load, c, "cannot connect: %s", strerror(failure));
  return failure == 0;
}

void musubi_load_secure(musubi_load *load, connection *c) {
  bool wants_to_write = false;
  int result = musubi_load_tls_continue(load, c, &wants_to_write);
  if (result == 1) send_handshake(load, c);
  else if (result == 0) watch(load, c, EPOLL_CTL_MOD, wants_to_write ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void musubi_load_writable(musubi_load *load, connection *c) {
  if (c->phase == CONNECTING) {
    if (!is_connected(load, c)) return;
    if (!load->tls) return send_handshake(load, c);
    c->phase = SECURING;
    musubi_load_tls_begin(load, c);
  }
  if (c->phase == SECURING) return musubi_load_secure(load, c);
  ssize_t sent = musubi_load_give_bytes(c, c->out.bytes, c->out.count);
  if (sent < 0) return;  // an error also wakes the receiving side, which reports it
  c->out.count -= (size_t)sent;
  memmove(c->out.bytes, c->out.bytes + sent, c->out.count);
  if (c->out.count == 0) watch(load, c, EPOLL_CTL_MOD, EPOLLIN);
}

size_t musubi_load_take_handshake(musubi_load *load, connection *c, size_t count) {
  char accept[MUSUBI_ACCEPT_LENGTH];
  const char *text = (const char *)load->in;
  const char *end = memmem(text, count, "\r\n\r\n", 4);
  if (!end) return 0;
  size_t used = (size_t)(end - text) + 4;
  musubi_baseline_accept(handshake_key, sizeof handshake_key - 1, accept);
  if (strncmp(text, "HTTP/1.1 101", 12) != 0 || !memmem(text, used, accept, sizeof accept)) {
    musubi_load_fail(load, c, "the handshake was refused: %.*s %.*s", (int)strcspn(text, "\r"), text,
              (int)(count - used), text + used);
    return 0;
  }
  c->phase = GREETING;
  if (c->is_resuming) {
    char text[256];
    uint8_t frame[sizeof text + MUSUBI_HEADER_LENGTH];
    size_t length = musubi_load_write_resume(c, text, sizeof text);
    length = musubi_baseline_frame_masked(frame, MUSUBI_TEXT, (uint8_t *)text, length, 0x5A5A5A5A);
    musubi_load_send(load, c, frame, length);
  }
  return used;
}
