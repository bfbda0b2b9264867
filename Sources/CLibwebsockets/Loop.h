// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "CLibwebsockets.h"

#include <ev.h>
#include <openssl/ssl.h>

struct musubi_loop {
  struct ev_loop *loop;
  musubi_loop_handlers handlers;
  ev_async async;
  ev_check check;
  ev_prepare prepare;
  ev_timer timer;
  ev_io listener;
};

// Makes a context of the library's ready; 0 if OpenSSL refuses.
int musubi_tls_prepare(SSL_CTX *context, const musubi_certificate *certificate);
int musubi_tls_use(SSL_CTX *context, const musubi_certificate *certificate);
void musubi_tls_set_ticket_key(SSL_CTX *context, const void *key);
