// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "Load.h"

/// Connections that are opened at the same time; fewer than a listen queue holds.
#define OPENING 256
/// How long nothing may happen while something is awaited.
#define PATIENCE_NS 10000000000u
/// The mask of frames that are no messages.
#define FIXED_MASK 0x5A5A5A5A

void musubi_load_fail(musubi_load *load, const connection *c, const char *format, ...) {
  if (load->error[0]) return;
  char reason[MUSUBI_ERROR_LENGTH - 40];
  va_list values;
  va_start(values, format);
  vsnprintf(reason, sizeof reason, format, values);
  va_end(values);
  if (c) snprintf(load->error, sizeof load->error, "connection %u: %s", c->number, reason);
  else snprintf(load->error, sizeof load->error, "%s", reason);
}

static uint64_t thread_cpu_ns(void) {
  struct timespec used;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

// MARK: Answers

/// Counts the time of a round trip and sends as many messages as were answered.
static void complete_echo(musubi_load *load, connection *c, uint64_t answers, uint64_t now) {
  if (!load->result) return musubi_load_fail(load, c, "an answer that nothing waits for");
  load->result->all_events += answers;
  if (load->counts) {
    load->result->events += answers;
    for (uint64_t n = c->answered - answers + 1; n <= c->answered; n++)
      musubi_histogram_add(&load->histogram, now - c->sent_at[n % load->plan.in_flight]);
  }
  if (load->sends) musubi_load_send_messages(load, c, answers);
}

/// Counts deliveries; a publication is complete when every receiver has it.
static void complete_delivery(musubi_load *load, connection *c, uint64_t answers, uint64_t now) {
  if (!load->result) return musubi_load_fail(load, c, "a delivery that nothing waits for");
  load->result->all_events += answers;
  for (uint64_t p = c->answered - answers + 1; p <= c->answered; p++) {
    uint32_t slot = (uint32_t)(p % load->plan.in_flight);
    if (load->counts) {
      load->result->events++;
      musubi_histogram_add(&load->histogram, now - load->published_at[slot]);
    }
    if (--load->missing[slot] > 0) continue;
    load->completed++;
    if (load->counts) load->result->publications++;
  }
}

/// Sends as many publications as the window has room for.
static void publish(musubi_load *load) {
  connection *publisher = &load->connections[0];
  uint64_t room = load->plan.in_flight - (publisher->sent - load->completed);
  uint64_t now = musubi_now_ns();
  for (uint64_t p = publisher->sent + 1; p <= publisher->sent + room; p++) {
    load->missing[p % load->plan.in_flight] = load->plan.active;
    load->published_at[p % load->plan.in_flight] = now;
  }
  if (room > 0) musubi_load_send_messages(load, publisher, room);
}

static void take_frame(musubi_load *load, connection *c, const musubi_frame *frame, uint64_t *answers) {
  if (frame->opcode == MUSUBI_PING) {
    uint8_t pong[256];
    size_t length = frame->length < 126 ? frame->length : 125;
    length = musubi_baseline_frame_masked(pong, MUSUBI_PONG, frame->payload, length, FIXED_MASK);
    musubi_load_send(load, c, pong, length);
  } else if (frame->opcode == MUSUBI_CLOSE) {
    int code = frame->length >= 2 ? frame->payload[0] << 8 | frame->payload[1] : 0;
    musubi_load_fail(load, c, "the server closed it with %d", code);
  } else if (frame->opcode == MUSUBI_TEXT) {
    if (c->phase == GREETING) return musubi_load_take_greeting(load, c, frame);
    uint64_t answered = musubi_load_take_answer(load, c, frame);
    c->answered += answered;
    *answers += answered;
  }
}

// MARK: The loop

static void become_ready_if_greeted(musubi_load *load, connection *c) {
  if (c->phase != GREETING || c->greeted < load->plan.greeting_frames) return;
  c->phase = READY;
  load->ready++;
}

static void receive(musubi_load *load, connection *c) {
  if (c->phase == SECURING) return musubi_load_secure(load, c);
  size_t kept = c->in.count, used = 0;
  if (kept > 0) memcpy(load->in, c->in.bytes, kept);
  ssize_t got = musubi_load_take_bytes(c, load->in + kept, SCRATCH / 2);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) return musubi_load_fail(load, c, "the server ended it: %s", got ? strerror(errno) : "end");
  size_t count = kept + (size_t)got;
  uint64_t now = musubi_now_ns(), answers = 0;
  if (c->phase == HANDSHAKE) {
    used = musubi_load_take_handshake(load, c, count);
    become_ready_if_greeted(load, c);
  }
  if (c->phase == GREETING || c->phase == READY) {
    musubi_frame frame;
    ssize_t length;
    while ((length = musubi_baseline_frame_parse(load->in + used, count - used, &frame)) > 0) {
      take_frame(load, c, &frame, &answers);
      if (load->error[0]) return;
      used += (size_t)length;
      become_ready_if_greeted(load, c);
    }
    if (length < 0) musubi_load_fail(load, c, "a frame that is no WebSocket frame");
  }
  free(c->in.bytes);
  c->in = (waiting){0};
  if (count - used > SCRATCH / 2) return musubi_load_fail(load, c, "a frame that is too long");
  if (count > used) {
    c->in = (waiting){malloc(count - used), count - used};
    if (!c->in.bytes) return musubi_load_fail(load, c, "no memory");
    memcpy(c->in.bytes, load->in + used, c->in.count);
  }
  if (answers == 0) return;
  if (load->plan.is_fan_out) complete_delivery(load, c, answers, now);
  else complete_echo(load, c, answers, now);
}

/// Serves ready connections; false if none was ready within `timeout_ms`.
static bool turn(musubi_load *load, int timeout_ms) {
  struct epoll_event events[1024];
  int count = epoll_wait(load->epoll, events, 1024, timeout_ms);
  for (int i = 0; i < count && !load->error[0]; i++) {
    connection *c = events[i].data.ptr;
    if (events[i].events & EPOLLOUT) musubi_load_writable(load, c);
    if (events[i].events & ~EPOLLOUT && c->fd >= 0) receive(load, c);
  }
  if (load->plan.is_fan_out && load->sends && !load->error[0]) publish(load);
  return count > 0;
}

// MARK: Life

static musubi_load *create(const musubi_load_plan *plan) {
  musubi_load *load = calloc(1, sizeof *load);
  if (!load) abort();
  load->plan = *plan;
  if (inet_pton(AF_INET, plan->address, &load->address) != 1)
    musubi_load_fail(load, NULL, "%s is no IPv4 address", plan->address);
  load->path = strdup(plan->path);
  load->resume_path = strdup(plan->resume_path);
  load->idle_path = strdup(plan->idle_path);
  load->protocol = strdup(plan->protocol);
  musubi_load_parse_template(plan->request, &load->request);
  musubi_load_parse_template(plan->first_request, &load->first_request);
  load->epoll = epoll_create1(EPOLL_CLOEXEC);
  load->tls = plan->security == MUSUBI_PLAIN ? NULL : musubi_load_tls_create();
  load->count = plan->active + plan->idle;
  load->connections = calloc(load->count, sizeof *load->connections);
  load->missing = calloc(plan->in_flight, sizeof *load->missing);
  load->published_at = calloc(plan->in_flight, sizeof *load->published_at);
  load->random = 0x9E3779B9u;
  if (!load->connections || !load->missing || !load->published_at) abort();
  for (uint32_t i = 0; i < load->count; i++) {
    connection *c = &load->connections[i];
    c->fd = -1;
    c->is_idle = i >= plan->active;
    c->sent_at = c->is_idle ? NULL : calloc(plan->in_flight, sizeof *c->sent_at);
  }
  return load;
}

musubi_load *musubi_load_open(const musubi_load_plan *plan, char error[MUSUBI_ERROR_LENGTH]) {
  musubi_load *load = create(plan);
  uint64_t quiet_since = musubi_now_ns();
  while (load->ready < load->count && !load->error[0]) {
    while (load->next_number < load->count && load->next_number - load->ready < OPENING && !load->error[0])
      musubi_load_connect(load, &load->connections[load->next_number]);
    if (turn(load, 100)) quiet_since = musubi_now_ns();
    else if (musubi_now_ns() - quiet_since > PATIENCE_NS)
      musubi_load_fail(load, NULL, "only %u of %u connections were greeted", load->ready, load->count);
  }
  if (!load->error[0]) return load;
  memcpy(error, load->error, MUSUBI_ERROR_LENGTH);
  musubi_load_close(load);
  return NULL;
}

/// Messages that have not been answered, or publications that have not reached everybody.
static uint64_t outstanding(const musubi_load *load) {
  if (load->plan.is_fan_out) return load->connections[0].sent - load->completed;
  uint64_t count = 0;
  for (uint32_t i = 0; i < load->plan.active; i++)
    count += load->connections[i].sent - load->connections[i].answered;
  return count;
}

/// Whether the load's time is up or its work done.
static bool is_over(const musubi_load *load, musubi_load_limit limit, uint64_t since) {
  if (limit.events > 0 && load->result->all_events >= limit.events) return true;
  return load->error[0] || (double)(musubi_now_ns() - since) >= limit.seconds * 1e9;
}

static void begin(musubi_load *load, int server, musubi_load_result *result, uint64_t marks[3]) {
  memset(result, 0, sizeof *result);
  musubi_histogram_clear(&load->histogram);
  load->result = result;
  load->sends = load->counts = true;
  marks[0] = musubi_now_ns();
  marks[1] = thread_cpu_ns();
  marks[2] = musubi_process_cpu_ns(server);
}

static void end(musubi_load *load, int server, musubi_load_result *result, const uint64_t marks[3]) {
  result->elapsed_ns = musubi_now_ns() - marks[0];
  result->load_cpu_ns = thread_cpu_ns() - marks[1];
  result->server_cpu_ns = musubi_process_cpu_ns(server) - marks[2];
  result->p50_ns = musubi_histogram_quantile(&load->histogram, 0.5);
  result->p99_ns = musubi_histogram_quantile(&load->histogram, 0.99);
  result->max_ns = load->histogram.max;
  load->sends = load->counts = false;
}

void musubi_load_run(musubi_load *load, musubi_load_limit limit, int server, musubi_load_result *result) {
  uint64_t marks[3];
  begin(load, server, result, marks);
  if (load->plan.is_fan_out) publish(load);
  else
    for (uint32_t i = 0; i < load->plan.active; i++)
      musubi_load_send_messages(load, &load->connections[i], load->plan.in_flight);
  while (!is_over(load, limit, marks[0])) turn(load, 10);
  end(load, server, result, marks);
  uint64_t quiet_since = musubi_now_ns();
  for (uint64_t left; (left = outstanding(load)) > 0 && !load->error[0];) {
    if (turn(load, 100)) quiet_since = musubi_now_ns();
    else if (musubi_now_ns() - quiet_since > PATIENCE_NS)
      musubi_load_fail(load, NULL, "%llu messages were never answered", (unsigned long long)left);
  }
  load->result = NULL;
  memcpy(result->error, load->error, MUSUBI_ERROR_LENGTH);
}

/// Counts a connection that is open, leaves, and comes again.
static void join_again(musubi_load *load, connection *c, uint64_t now) {
  static const uint8_t going_away[] = {1001 >> 8, 1001 & 0xFF};
  bool was_first = load->plan.resumes && load->plan.expects_turns && !c->is_resuming;
  if (!was_first) {
    load->result->events++;
    load->result->all_events++;
    musubi_histogram_add(&load->histogram, now - c->started_at);
  }
  if (!load->plan.resumes && !load->plan.vanishes) {
    uint8_t farewell[16];
    size_t length =
        musubi_baseline_frame_masked(farewell, MUSUBI_CLOSE, going_away, sizeof going_away, FIXED_MASK);
    musubi_load_send(load, c, farewell, length);
  }
  musubi_load_disconnect(c);
  musubi_load_connect(load, c);
}

void musubi_load_join(
    const musubi_load_plan *plan, musubi_load_limit limit, int server, musubi_load_result *result) {
  uint64_t marks[3];
  musubi_load *load = create(plan);
  begin(load, server, result, marks);
  load->sends = false;
  for (uint32_t i = 0; i < load->count; i++) musubi_load_connect(load, &load->connections[i]);
  while (!is_over(load, limit, marks[0])) {
    uint32_t ready_before = load->ready;
    turn(load, 10);
    if (load->ready == ready_before) continue;
    uint64_t now = musubi_now_ns();
    for (uint32_t i = 0; i < load->count && !load->error[0]; i++)
      if (load->connections[i].phase == READY) join_again(load, &load->connections[i], now);
  }
  end(load, server, result, marks);
  memcpy(result->error, load->error, MUSUBI_ERROR_LENGTH);
  musubi_load_close(load);
}

bool musubi_load_rest(musubi_load *load, double seconds) {
  uint64_t deadline = musubi_now_ns() + (uint64_t)(seconds * 1e9);
  while (musubi_now_ns() < deadline && !load->error[0]) turn(load, 10);
  return !load->error[0];
}

void musubi_load_close(musubi_load *load) {
  for (uint32_t i = 0; i < load->count; i++) {
    musubi_load_disconnect(&load->connections[i]);
    SSL_SESSION_free(load->connections[i].tls_ticket);
    free(load->connections[i].sent_at);
  }
  close(load->epoll);
  SSL_CTX_free(load->tls);
  free(load->connections);
  free(load->missing);
  free(load->published_at);
  free(load->path);
  free(load->resume_path);
  free(load->idle_path);
  free(load->protocol);
  free(load);
}
