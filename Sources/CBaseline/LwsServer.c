// SPDX-License-Identifier: Apache-2.0
//
// Plain libwebsockets, as its examples use it: the library's poll loop, a queue of messages for each
// connection, one lws_write for each LWS_CALLBACK_SERVER_WRITEABLE.
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CBaseline.h"
#include "WebSocket.h"

/// A message with room for its header in front; shared by all connections that still have to send it.
typedef struct {
  size_t users, length;
  unsigned char bytes[];
} message;

/// One connection; the library allocates it, zeroed.
typedef struct session {
  struct lws *wsi;
  bool broadcasts;
  size_t reply_length;
  message **queue;
  size_t capacity, head, count;
  struct session *previous, *next;  // the list of those who get broadcasts
} session;

static session *audience;

static message *message_create(const void *text, size_t length, size_t reply_length) {
  size_t whole = reply_length > length ? reply_length : length;
  message *created = malloc(sizeof *created + LWS_PRE + whole);
  if (!created) abort();
  created->users = 0;
  created->length = whole;
  if (length > 0) memcpy(created->bytes + LWS_PRE, text, length);
  memset(created->bytes + LWS_PRE + length, ' ', whole - length);
  return created;
}

static void message_release(message *released) {
  if (--released->users == 0) free(released);
}

static void enqueue(session *s, message *added) {
  if (s->count == s->capacity) {
    size_t larger = s->capacity ? s->capacity * 2 : 4;
    message **queue = malloc(larger * sizeof *queue);
    if (!queue) abort();
    for (size_t i = 0; i < s->count; i++) queue[i] = s->queue[(s->head + i) % s->capacity];
    free(s->queue);
    s->queue = queue;
    s->capacity = larger;
    s->head = 0;
  }
  s->queue[(s->head + s->count++) % s->capacity] = added;
  added->users++;
  lws_callback_on_writable(s->wsi);
}

static void opened(session *s, struct lws *wsi) {
  char path[64] = "", value[256];
  lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI);
  s->wsi = wsi;
  size_t greeting = 0;
  for (int i = 0; lws_hdr_copy_fragment(wsi, value, sizeof value, WSI_TOKEN_HTTP_URI_ARGS, i) > 0; i++) {
    if (strncmp(value, "reply=", 6) == 0) s->reply_length = musubi_baseline_query_number(value, "reply=");
    if (strncmp(value, "greeting=", 9) == 0) greeting = musubi_baseline_query_number(value, "greeting=");
  }
  if (greeting > 0) enqueue(s, message_create(NULL, 0, greeting));
  if (strcmp(path, "/broadcast") != 0) return;
  s->broadcasts = true;
  s->next = audience;
  if (s->next) s->next->previous = s;
  audience = s;
}

static void received(session *s, const void *text, size_t length) {
  message *answer = message_create(text, length, s->reply_length);
  if (!s->broadcasts) return enqueue(s, answer);
  for (session *each = audience; each; each = each->next) enqueue(each, answer);
}

static int write_next(session *s) {
  if (s->count == 0) return 0;
  message *next = s->queue[s->head];
  int written = lws_write(s->wsi, next->bytes + LWS_PRE, next->length, LWS_WRITE_TEXT);
  if (written < (int)next->length) return -1;
  message_release(next);
  s->head = (s->head + 1) % s->capacity;
  if (--s->count > 0) lws_callback_on_writable(s->wsi);
  return 0;
}

static void closed(session *s) {
  for (size_t i = 0; i < s->count; i++) message_release(s->queue[(s->head + i) % s->capacity]);
  free(s->queue);
  if (!s->broadcasts) return;
  if (s->previous) s->previous->next = s->next;
  else audience = s->next;
  if (s->next) s->next->previous = s->previous;
}

static int handle(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  session *s = user;
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: opened(s, wsi); return 0;
    case LWS_CALLBACK_RECEIVE: received(s, in, length); return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return write_next(s);
    case LWS_CALLBACK_CLOSED:
      if (s && s->wsi) closed(s);
      return 0;
    default: return 0;
  }
}

int musubi_serve_lws(const char *address, const char *certificate, const char *key) {
  static const struct lws_protocols protocols[] = {
      {"musubi.v1", handle, sizeof(session), 4096, 0, NULL, 0},
      {NULL, NULL, 0, 0, 0, NULL, 0},
  };
  lws_set_log_level(LLL_ERR, NULL);
  struct lws_context_creation_info info = {0};
  info.port = 0;
  // It knows no interface of the name that stands for all.
  info.iface = strcmp(address, "0.0.0.0") == 0 ? NULL : address;
  info.protocols = protocols;
  info.vhost_name = "baseline";
  // With many thousands of connections one turn of poll takes so long that the default would end handshakes.
  info.timeout_secs = 60;
  if (certificate) {
    info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = certificate;
    info.ssl_private_key_filepath = key;
  }
  struct lws_context *context = lws_create_context(&info);
  struct lws_vhost *host = context ? lws_get_vhost_by_name(context, "baseline") : NULL;
  if (!host) return 1;
  printf("listening on %s:%d\n", address, lws_get_vhost_listen_port(host));
  fflush(stdout);
  while (lws_service(context, 0) >= 0) {
  }
  lws_context_destroy(context);
  return 1;
}
