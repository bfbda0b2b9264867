// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <libwebsockets.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What Swift cannot call of libev, libwebsockets, zlib and GNU: function-like macros, structures whose lifetime
// the library takes for granted, and accept4.

// MARK: libev: one loop with the watchers that a server's thread needs.

typedef struct musubi_loop musubi_loop;

/// The calls of a loop to its owner; all on the thread that runs it.
typedef struct {
  /// Handed to each function; the owner outlives the loop.
  void *owner;
  /// musubi_loop_wake was called, once or several times.
  void (*woken)(void *owner);
  /// Events have arrived; their handlers follow.
  void (*iteration_begins)(void *owner);
  /// All handlers have run; the loop is about to wait.
  void (*iteration_ends)(void *owner);
  /// The time set by musubi_loop_set_timer has passed.
  void (*timer_fired)(void *owner);
  /// The socket of musubi_loop_watch has something to accept.
  void (*readable)(void *owner);
  /// A musubi_stream can be read or written; gets that stream's owner.
  void (*stream_ready)(void *stream_owner, int readable, int writable);
  /// The descriptor of a musubi_watch can be read or written; gets that watch's owner.
  void (*watch_ready)(void *watch_owner, int readable, int writable);
} musubi_loop_handlers;

/// A loop on epoll, or NULL if the system refuses one.
musubi_loop *musubi_loop_create(const musubi_loop_handlers *handlers);
void musubi_loop_destroy(musubi_loop *loop);
/// Runs until musubi_loop_break.
void musubi_loop_run(musubi_loop *loop);
/// Handles ready events and returns.
void musubi_loop_run_once(musubi_loop *loop);
void musubi_loop_break(musubi_loop *loop);
/// The only function that other threads may call.
void musubi_loop_wake(musubi_loop *loop);
/// Fires once after so many seconds; negative: never.
void musubi_loop_set_timer(musubi_loop *loop, double seconds);
void musubi_loop_watch(musubi_loop *loop, int descriptor);
void musubi_loop_unwatch(musubi_loop *loop);

/// A descriptor of any kind that a loop watches.
typedef struct musubi_watch musubi_watch;

/// Watches for nothing yet; NULL if there is no memory. The descriptor stays the caller's.
musubi_watch *musubi_watch_create(musubi_loop *loop, int descriptor, void *owner);
/// Says what `watch_ready` is called for.
void musubi_watch_set(musubi_watch *watch, int reads, int writes);
/// Ends the watching, before the descriptor is closed and before the loop goes; also from within `watch_ready`.
void musubi_watch_destroy(musubi_watch *watch);

// MARK: TLS: the identity of a context.

/// A certificate with its key and its chain, checked; may be used by several threads.
typedef struct musubi_certificate musubi_certificate;

enum {
  /// The length of the key that seals tickets: its name, and 32 bytes each for the two algorithms.
  musubi_ticket_key_bytes = 80
};

/// Reads files in PEM, in a place of their own; NULL if they are no pair, with a sentence in `problem`.
musubi_certificate *musubi_certificate_load(const char *certificate, const char *key, char *problem, size_t capacity);
void musubi_certificate_free(musubi_certificate *certificate);

// MARK: libwebsockets: a context on such a loop.

typedef struct musubi_context musubi_context;

typedef struct {
  lws_callback_function *callback;
  /// The subprotocol that the vhost speaks besides plain HTTP; copied.
  const char *subprotocol;
  unsigned int header_bytes;
  unsigned int handshake_seconds;
  unsigned int keepalive_seconds;
  /// The certificate for TLS; NULL: all connections are plain. The context keeps a copy.
  const musubi_certificate *certificate;
} musubi_context_settings;

/// A context with one vhost that does not listen, or NULL.
///
/// Starts the pulse that libwebsockets' own timers need on a foreign libev loop.
musubi_context *musubi_context_create(musubi_loop *loop, const musubi_context_settings *settings);
/// Ends all connections; run the loop a moment before destroying it.
void musubi_context_destroy(musubi_context *context);
/// Gives an accepted socket to the library, which closes it if that fails.
struct lws *musubi_context_adopt(musubi_context *context, int descriptor, void *opaque);

/// Shows another certificate from the next handshake on; 0 if OpenSSL refuses it, and the old one stays.
int musubi_context_use_certificate(musubi_context *context, const musubi_certificate *certificate);
/// Seals tickets by another key from now on; tickets of the old one cost a whole handshake.
void musubi_context_set_ticket_key(musubi_context *context, const void *key);

/// Ends a connection at once; not from within one of its own callbacks.
void musubi_kill(struct lws *wsi);

/// Sets the function that gets the library's complaints; level 1 is an error, 2 a warning.
void musubi_set_log(void (*emit)(int level, const char *line));

// MARK: the bytes of a WebSocket.

/// An open WebSocket past the library: one recv takes all that has arrived, and an idle connection has no buffer.
typedef struct musubi_stream musubi_stream;

/// Has the library read no more from a WebSocket whose handshake it has answered.
///
/// If it has read bytes behind the handshake, LWS_CALLBACK_SERVER_WRITEABLE follows in the next iteration; nothing
/// else tells of them, and nothing reaches them.
void musubi_stop_reading(struct lws *wsi);
/// Has the library read again, from a plain connection that it has not given away for good.
void musubi_resume_reading(struct lws *wsi);
/// Whether the library has read bytes behind the request that it reports: 0 for no, 1 for yes, 2 if it has done so for some
/// connection of the loop, and maybe for this one. To be called from within LWS_CALLBACK_HTTP.
int musubi_has_read_ahead(struct lws *wsi);
/// Reads and writes such a WebSocket from now on; the library keeps the descriptor, and closes it in the end.
///
/// The loop's `stream_ready` is called with the owner. NULL if there is no memory.
musubi_stream *musubi_stream_create(musubi_loop *loop, struct lws *wsi, void *owner);
/// Ends the watching, before the library closes the socket.
void musubi_stream_destroy(musubi_stream *stream);
/// Whether the bytes go through TLS; then reading once right away tells what the library has left inside.
int musubi_stream_is_secure(const musubi_stream *stream);
/// Says what `stream_ready` is called for; at first it is reading alone.
void musubi_stream_watch(musubi_stream *stream, int reads, int writes);
/// Reads arrived bytes: their number, 0 at the end of the connection, -1 if nothing has arrived.
///
/// The capacity is at least 16,384, a record of TLS.
ssize_t musubi_stream_receive(musubi_stream *stream, void *bytes, size_t capacity);
/// Sends what the kernel takes: the number of bytes, or -1 if the connection has ended.
ssize_t musubi_stream_send(musubi_stream *stream, const void *bytes, size_t count);
/// Whether the peer has closed, or sends no more; what it has sent stays where it is.
int musubi_stream_has_ended(const musubi_stream *stream);
/// Tells the peer that nothing more comes.
void musubi_stream_end(musubi_stream *stream);

// MARK: sockets and threads.

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC, and the peer's address as text; -errno if there is none.
int musubi_accept(int listener, char *address, size_t capacity);

/// How many cores this process may run on; 0 if the system does not tell.
int musubi_cores(void);

/// The bytes that the allocator has handed out in the whole process.
size_t musubi_heap_in_use(void);
/// The bytes that the allocator keeps and nobody uses; it looks through them all.
size_t musubi_heap_free(void);
/// Gives memory that the allocator keeps and nobody uses back to the system.
void musubi_heap_trim(void);

/// Sends a request to a server, and takes its answer until it closes: the number of bytes, or -1 with a reason.
///
/// Each step waits so many seconds at most; `is_secure` means TLS, without looking at the certificate.
ssize_t musubi_ask(const char *host, const char *port, int is_secure, int seconds, const char *request, char *answer,
                   size_t capacity, const char **problem);

/// Names the thread for debuggers and top; at most 15 characters.
void musubi_name_current_thread(const char *name);

// MARK: signals.

/// Sends a byte, the signal's number, down a pipe for each arrival; the pipe's reading end, or -1.
int musubi_signals_watch(const int *numbers, size_t count);
/// Restores what the signals did before and closes the pipe; a reader sees its end.
void musubi_signals_unwatch(void);

// MARK: chance and hashes.

/// Fills memory with unpredictable bytes; 0 if the system gives none.
int musubi_random(void *bytes, size_t count);
/// The 32 bytes of a SHA-256; 0 if there is no memory.
int musubi_sha256(const void *bytes, size_t count, void *hash);
/// The 32 bytes of an HMAC with SHA-256 (RFC 2104); 0 if OpenSSL refuses.
int musubi_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, void *code);
/// Whether two places hold the same bytes; the time does not tell where they differ.
int musubi_is_equal(const void *one, const void *other, size_t count);

/// A SHA-256 of bytes that come one after another; NULL if there is no memory.
void *musubi_sha256_begin(void);
/// Takes further bytes; 0 if OpenSSL refuses.
int musubi_sha256_add(void *state, const void *bytes, size_t count);
/// The 32 bytes for all that was taken; 0 if OpenSSL refuses. The state is gone afterwards; `hash` may be NULL.
int musubi_sha256_end(void *state, void *hash);

/// Decodes padded base64 (RFC 4648 section 4): `bytes` has room for three quarters of `count`. Returns how many there are with
/// those that padding stands for, or a negative number if the text is no base64.
int musubi_base64_decode(const void *text, size_t count, void *bytes);

enum {
  /// The length of a key for sealing.
  musubi_key_bytes = 32,
  /// By how much a sealed value is longer.
  musubi_tag_bytes = 16
};

/// Derives a key for one purpose (HKDF with SHA-256, RFC 5869); 0 if OpenSSL refuses.
int musubi_derive_key(const void *key, size_t key_count, const char *purpose, void *derived);
/// Seals bytes by AES-256-GCM (RFC 5116) with a nonce of 12 bytes, and authenticates what stands beside them; 0 if OpenSSL
/// refuses. `sealed` has room for `count` and a tag.
int musubi_seal(const void *key, const void *nonce, const void *beside, size_t beside_count, const void *plain,
                size_t count, void *sealed);
/// Opens what was sealed; 0 if anything differs, and then nothing of `plain` may be looked at.
int musubi_unseal(const void *key, const void *nonce, const void *beside, size_t beside_count, const void *sealed,
                  size_t count, void *plain);

// MARK: zlib.

/// Compresses into the gzip format; the number of bytes, or 0 if they do not fit into capacity.
size_t musubi_gzip(const uint8_t *bytes, size_t count, uint8_t *into, size_t capacity);
