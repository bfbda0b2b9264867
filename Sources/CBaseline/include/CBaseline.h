// SPDX-License-Identifier: Apache-2.0
//
// The measuring side of musubi-bench: two bare WebSocket servers to compare with, one load generator, and
// functions to run servers as pinned child processes. Everything but raw epoll with several loops is
// single-threaded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUSUBI_ERROR_LENGTH 256
#define MUSUBI_FURTHER_PORTS 2

// MARK: Baseline servers
//
// Both listen on a free port of an IPv4 address, 0.0.0.0 for all, print "listening on ADDRESS:PORT", and run until
// killed.
// Paths: /echo answers each message, /broadcast sends each message to everybody at /broadcast.
// Query: reply=N is the length of each answer (the message, filled up by spaces; at least its own length),
// greeting=N a first frame of N bytes.

/// Serves from epoll loops without any library: what the machine and its kernel can do.
///
/// Each loop is a thread with its own listening socket; who listens at /broadcast hears those of the same loop.
int musubi_serve_epoll(const char *address, int loops);

/// Serves with libwebsockets in the way of its examples: poll loop, one write for each writeable callback.
///
/// With the files of a certificate and its key it serves by TLS; both are NULL without.
int musubi_serve_lws(const char *address, const char *certificate, const char *key);

// MARK: Load

/// How connections are encrypted.
typedef enum {
  MUSUBI_PLAIN,
  /// TLS, each time by a whole handshake.
  MUSUBI_TLS,
  /// TLS, by the ticket that the connection before has left.
  MUSUBI_TLS_RESUMED,
} musubi_security;

/// The order for a load; strings are copied.
typedef struct {
  /// Where the servers are, an IPv4 address.
  const char *address;
  uint16_t port;
  /// Further ports: connections go to all of them in turn, the first one to `port`.
  uint16_t further_ports[MUSUBI_FURTHER_PORTS];
  uint32_t further_port_count;
  musubi_security security;
  /// Target of the handshake's GET; `{c}` becomes the connection's number.
  const char *path;
  /// The same for a connection that resumes its session.
  const char *resume_path;
  /// Target for idle connections.
  const char *idle_path;
  /// The only subprotocol to ask for.
  const char *protocol;
  /// A message, at most 256 bytes between two fields. `{n}` becomes its number from 1, `{t}` the same with
  /// eight digits, `{r}` the revision last applied, `{c}` the connection's number.
  const char *request;
  /// The first message of each connection.
  const char *first_request;
  /// Connections that take part, and connections that only stay open beside them.
  uint32_t active, idle;
  /// Messages on their way for each connection; in a fan-out, publications that not everybody has yet.
  uint32_t in_flight;
  /// Frames that the server sends by itself before it is ready.
  uint32_t greeting_frames;
  /// Connection 0 publishes and all active ones receive; otherwise each waits for answers to its own.
  bool is_fan_out;
  /// Answers are turns of musubi.v1 that hold the text; otherwise the message, filled up to `reply_length`.
  bool expects_turns;
  /// Turns must carry a revision that counts each edit.
  bool sends_edits;
  /// How many revisions of its own a page has not seen yet when it sends an edit.
  uint32_t behind;
  /// `musubi_load_join` comes back to the sessions that it has opened, instead of opening new ones.
  bool resumes;
  /// `musubi_load_join` leaves without a word, as a page does whose network goes.
  bool vanishes;
  uint32_t reply_length;
} musubi_load_plan;

/// The measurements of a load.
typedef struct {
  /// Round trips; in a fan-out deliveries (publications times receivers); in a join run sessions joined.
  uint64_t events;
  /// The same with those that were answered after the time was up.
  uint64_t all_events;
  uint64_t publications;
  uint64_t frames_received, payload_bytes_received, payload_bytes_sent;
  /// The frames that carried what events did; one may carry what several did.
  uint64_t effect_frames;
  uint64_t elapsed_ns, load_cpu_ns, server_cpu_ns;
  uint64_t p50_ns, p99_ns, max_ns;
  /// Empty if every answer came and was right.
  char error[MUSUBI_ERROR_LENGTH];
} musubi_load_result;

typedef struct musubi_load musubi_load;

/// Opens all connections of a plan and waits until they are greeted; NULL and `error` if one fails.
musubi_load *musubi_load_open(const musubi_load_plan *plan, char error[MUSUBI_ERROR_LENGTH]);

/// Where a load ends, whatever comes first.
typedef struct {
  double seconds;
  /// 0: without limit.
  uint64_t events;
} musubi_load_limit;

/// Sends until the limit, then waits until everything is answered; only answers within the limit are counted.
///
/// Every answer is checked. `server` is the process whose CPU time is reported with it, 0 if it is on another machine.
void musubi_load_run(musubi_load *load, musubi_load_limit limit, int server, musubi_load_result *result);

/// Opens and leaves connections until the limit, always `active` of them under way.
void musubi_load_join(
    const musubi_load_plan *plan, musubi_load_limit limit, int server, musubi_load_result *result);

/// Keeps connections alive (answers pings) for `seconds` without sending anything; false if one was closed.
bool musubi_load_rest(musubi_load *load, double seconds);

/// Closes all connections without waiting for the server.
void musubi_load_close(musubi_load *load);

// MARK: Processes

/// A server that runs as a child; it is killed by the kernel if its parent ends.
typedef struct {
  int pid;
  /// A memory file with everything that the child printed.
  int output;
} musubi_child;

/// Starts a program on one core (-1: on any); 0, or the errno of what failed.
int musubi_spawn(char *const arguments[], int core, musubi_child *child);

/// Ends a child by SIGTERM, after `grace_ms` by SIGKILL, and waits for it; its wait status.
int musubi_stop(musubi_child *child, int grace_ms);

/// Reads a child's output so far into `text`, at most `capacity` - 1 bytes and a zero; the length.
size_t musubi_child_output(const musubi_child *child, char *text, size_t capacity);

/// Binds the calling thread, and what it starts from now on, to one core (-1: to none); 0 or an errno.
int musubi_pin(int core);

/// CPU time of a process and its threads; 0 if there is none, and for 0.
uint64_t musubi_process_cpu_ns(int pid);

// MARK: Counts

/// System calls by purpose: read and recv, write and send, epoll and poll, all others.
typedef struct {
  uint64_t receives, sends, waits, others;
} musubi_trace_counts;

typedef struct musubi_trace musubi_trace;

/// Counts the system calls of a child from now on; NULL and an errno if the system forbids to trace.
musubi_trace *musubi_trace_start(int pid, int *failure);

/// Ends the count.
musubi_trace_counts musubi_trace_stop(musubi_trace *trace);

/// Counts this process's heap allocations from now on, and prints "allocations N" at each SIGUSR1.
void musubi_count_allocations(void);

/// How many heap allocations were counted so far.
unsigned long long musubi_allocations(void);

/// How many bytes they asked for.
unsigned long long musubi_allocated_bytes(void);

// MARK: Time

/// Time on the monotonic clock.
uint64_t musubi_now_ns(void);
