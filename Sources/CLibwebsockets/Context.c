// SPDX-License-Identifier: Apache-2.0
#include "Loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

// The library's global state (plugins, log) is not made for contexts that come and go side by side.
static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

// What the library keeps pointers to for as long as the context lives.
struct musubi_context {
  struct lws_context *context;
  struct lws_vhost *vhost;
  musubi_loop *loop;
  ev_timer pulse;
  struct lws_protocols protocols[3];
  // All zero: the library neither pings nor hangs up.
  lws_retry_bo_t idle_policy;
  void *foreign_loops[1];
  char subprotocol[64];
  lws_callback_function *callback;
  // Only until the context is made.
  const musubi_certificate *certificate;
  // The library's; NULL without TLS.
  SSL_CTX *tls;
};

static int report(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  musubi_context *self = wsi ? lws_context_user(lws_get_context(wsi)) : NULL;
  if (!self)
    return 0;
  if (reason != LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS)
    return self->callback(wsi, reason, user, in, length);
  self->tls = user;
  return musubi_tls_prepare(self->tls, self->certificate) ? 0 : 1;
}

// The libev plugin's own timer does not fire by itself; this makes the library look at its deadlines.
static void pulse(struct ev_loop *loop, ev_timer *watcher, int events) {
  musubi_context *self = watcher->data;
  (void)loop, (void)events;
  lws_cancel_service(self->context);
}

static void fill_protocol(struct lws_protocols *protocol, const char *name) {
  protocol->name = name;
  protocol->callback = report;
  // The library reads no message: a musubi_stream does.
  protocol->rx_buffer_size = 1;
  // Above the largest frame, or the library would copy the rest and send it in small pieces.
  protocol->tx_packet_size = 1u << 30;
}

musubi_context *musubi_context_create(musubi_loop *loop, const musubi_context_settings *settings) {
  musubi_context *self = calloc(1, sizeof *self);
  if (!self)
    return NULL;
  self->loop = loop;
  self->foreign_loops[0] = loop->loop;
  strncpy(self->subprotocol, settings->subprotocol, sizeof self->subprotocol - 1);
  self->callback = settings->callback;
  self->certificate = settings->certificate;
  fill_protocol(&self->protocols[0], "http");
  fill_protocol(&self->protocols[1], self->subprotocol);

  struct lws_context_creation_info info;
  memset(&info, 0, sizeof info);
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.protocols = self->protocols;
  info.options = LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
  info.foreign_loops = self->foreign_loops;
  info.gid = info.uid = -1;
  info.max_http_header_data2 = settings->header_bytes;
  // A record of TLS is read at once, so that nothing of it waits inside.
  info.pt_serv_buf_size = 17 << 10;
  info.timeout_secs = settings->handshake_seconds;
  info.timeout_secs_ah_idle = settings->handshake_seconds;
  info.keepalive_timeout = (int)settings->keepalive_seconds;
  info.retry_and_idle_policy = &self->idle_policy;
  info.vhost_name = "musubi";
  info.user = self;
  if (self->certificate) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX |
                    LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS;
    // HTTP/2 of this version is not to be reached.
    info.alpn = "http/1.1";
  }
  pthread_mutex_lock(&library_lock);
  self->context = lws_create_context(&info);
  if (self->context)
    self->vhost = lws_create_vhost(self->context, &info);
  if (self->context && !self->vhost)
    lws_context_destroy(self->context);
  pthread_mutex_unlock(&library_lock);
  if (!self->vhost || (self->certificate && !self->tls)) {
    free(self);
    return NULL;
  }
  self->certificate = NULL;
  ev_timer_init(&self->pulse, pulse, 0.1, 0.1);
  self->pulse.data = self;
  ev_timer_start(loop->loop, &self->pulse);
  return self;
}

void musubi_context_destroy(musubi_context *self) {
  ev_timer_stop(self->loop->loop, &self->pulse);
  pthread_mutex_lock(&library_lock);
  lws_context_destroy(self->context);
  pthread_mutex_unlock(&library_lock);
  for (int turn = 0; turn < 8; turn++)
    musubi_loop_run_once(self->loop);
  free(self);
}

struct lws *musubi_context_adopt(musubi_context *self, int descriptor, void *opaque) {
  lws_adopt_desc_t info;
  memset(&info, 0, sizeof info);
  info.vh = self->vhost;
  info.type = LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP | (self->tls ? LWS_ADOPT_ALLOW_SSL : 0);
  info.fd.sockfd = descriptor;
  info.opaque = opaque;
  return lws_adopt_descriptor_vhost_via_info(&info);
}

int musubi_context_use_certificate(musubi_context *self, const musubi_certificate *certificate) {
  return self->tls && musubi_tls_use(self->tls, certificate);
}

void musubi_context_set_ticket_key(musubi_context *self, const void *key) {
  if (self->tls)
    musubi_tls_set_ticket_key(self->tls, key);
}

void musubi_kill(struct lws *wsi) {
  // Else the library would wait five seconds for a stalled peer to take the rest.
  shutdown(lws_get_socket_fd(wsi), SHUT_RDWR);
  lws_set_timeout(wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void (*_Atomic log_emit)(int level, const char *line);

static void emit(int level, const char *line) {
  void (*function)(int, const char *) = atomic_load(&log_emit);
  if (function)
    function(level, line);
}

void musubi_set_log(void (*function)(int level, const char *line)) {
  atomic_store(&log_emit, function);
  pthread_mutex_lock(&library_lock);
  lws_set_log_level(LLL_ERR | LLL_WARN, emit);
  pthread_mutex_unlock(&library_lock);
}
