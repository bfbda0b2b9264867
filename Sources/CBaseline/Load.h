// SPDX-License-Identifier: Apache-2.0
//
// Inside the load generator.
//
//   Load.c          the loop: open, run, join, rest, close
//   LoadConnect.c   one connection's way from connect() to its last greeting frame
//   LoadMessages.c  messages out of templates, and the check of every answer
//   LoadTLS.c       the bytes of a connection, through TLS or plain
#pragma once

#include <netinet/in.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CBaseline.h"
#include "Histogram.h"
#include "WebSocket.h"

/// Holds the longest frame twice: a snapshot of 100,000 rows has some 5 MB.
#define SCRATCH (1 << 24)
#define LONGEST_MESSAGE 4096

typedef enum {
  /// connect() is under way.
  CONNECTING,
  /// TLS agrees on keys.
  SECURING,
  /// The request is sent, the 101 has not come.
  HANDSHAKE,
  /// Frames that the server sends by itself are still missing.
  GREETING,
  /// Open.
  READY,
  /// Closed by this side, on purpose.
  LEFT,
} phase;

/// The values that resume a session.
typedef struct {
  char session[48], token[48], epoch[24];
} ticket;

/// Bytes that wait: of an incomplete frame, or that a socket did not take.
typedef struct {
  uint8_t *bytes;
  size_t count;
} waiting;

typedef struct {
  int fd;
  uint32_t number;
  phase phase;
  bool is_idle, is_resuming;
  uint32_t greeted;
  /// Messages sent and answered; their numbers start at 1.
  uint64_t sent, answered;
  /// musubi.v1: inputs acknowledged, the last turn, the revision applied.
  uint64_t acknowledged, sequence, revision;
  uint64_t started_at;
  /// When message n was sent, at n % in_flight.
  uint64_t *sent_at;
  waiting in, out;
  ticket ticket;
  /// NULL if the connection is plain.
  SSL *tls;
  /// What the next handshake of TLS is resumed with; NULL before the server has sent one.
  SSL_SESSION *tls_ticket;
} connection;

/// A field's letter, 0 for none, and the text that follows it.
typedef struct {
  char field;
  size_t length;
  char text[256];
} load_template_piece;

#define LOAD_TEMPLATE_PIECES 12

/// A message with fields, cut at them once so that writing it is a few copies.
typedef struct {
  int count;
  load_template_piece pieces[LOAD_TEMPLATE_PIECES];
} load_template;

struct musubi_load {
  musubi_load_plan plan;
  struct in_addr address;
  char *path, *resume_path, *idle_path, *protocol;
  load_template request, first_request;
  int epoll;
  /// NULL if connections are plain.
  SSL_CTX *tls;
  connection *connections;
  uint32_t count, ready;
  uint32_t next_number;
  /// Whether answers bring new messages, and whether they count.
  bool sends, counts;
  /// Fan-out, at p % in_flight: receivers that publication p still needs, and when it was sent.
  uint32_t *missing;
  uint64_t *published_at;
  /// Publications that everybody has.
  uint64_t completed;
  uint32_t random;
  musubi_load_result *result;
  musubi_histogram histogram;
  char error[MUSUBI_ERROR_LENGTH];
  uint8_t in[SCRATCH], out[SCRATCH];
};

/// Notes why the load failed; the first reason stays.
void musubi_load_fail(musubi_load *load, const connection *c, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// MARK: LoadConnect.c

/// Starts to connect.
void musubi_load_connect(musubi_load *load, connection *c);

/// Goes on when the socket is writable: begins TLS, sends the handshake's request or what `out` holds.
void musubi_load_writable(musubi_load *load, connection *c);

/// Goes on with a handshake of TLS, and sends the request when it is done.
void musubi_load_secure(musubi_load *load, connection *c);

/// Checks the server's answer to the handshake; the bytes used, 0 if it is not complete.
size_t musubi_load_take_handshake(musubi_load *load, connection *c, size_t count);

/// Sends bytes now or, what does not fit, as soon as possible.
void musubi_load_send(musubi_load *load, connection *c, const uint8_t *bytes, size_t count);

/// Ends a connection at once, without a TIME_WAIT that would use up the machine's ports.
void musubi_load_disconnect(connection *c);

// MARK: LoadTLS.c

/// What TLS needs; aborts without memory.
SSL_CTX *musubi_load_tls_create(void);

/// Begins TLS on an open connection: resumed if the plan says so and there is a ticket.
void musubi_load_tls_begin(musubi_load *load, connection *c);

/// Goes on with a handshake of TLS: 1 if it is done, 0 if it waits, -1 if it failed.
int musubi_load_tls_continue(musubi_load *load, connection *c, bool *wants_to_write);

/// Ends TLS without a word, and keeps its ticket.
void musubi_load_tls_end(connection *c);

/// As recv; takes all that has arrived, up to `capacity`.
ssize_t musubi_load_take_bytes(connection *c, uint8_t *bytes, size_t capacity);

/// As send.
ssize_t musubi_load_give_bytes(connection *c, const uint8_t *bytes, size_t count);

// MARK: LoadMessages.c

/// Cuts a text at its fields; pieces are at most 256 bytes long.
void musubi_load_parse_template(const char *text, load_template *parsed);

/// Writes message `n` as text; its length.
size_t musubi_load_write_message(
    const musubi_load *load, const connection *c, uint64_t n, uint64_t revision, char *out);

/// Sends the next `count` messages with one call.
void musubi_load_send_messages(musubi_load *load, connection *c, uint64_t count);

/// Takes a text frame of an open connection; the messages that it answers.
uint64_t musubi_load_take_answer(musubi_load *load, connection *c, const musubi_frame *frame);

/// Writes the frame that resumes a connection's session; its length.
size_t musubi_load_write_resume(const connection *c, char *out, size_t capacity);

/// Takes a text frame that came before the first message.
void musubi_load_take_greeting(musubi_load *load, connection *c, const musubi_frame *frame);
