// SPDX-License-Identifier: Apache-2.0
#include "Loop.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

// A certificate is a context of its own, in which it was checked, and from which loops take what they use.

static int fails(char *problem, size_t capacity, const char *what) {
  unsigned long error = ERR_peek_last_error();
  const char *reason = error ? ERR_reason_error_string(error) : NULL;
  snprintf(problem, capacity, "%s%s%s", what, reason ? ": " : "", reason ? reason : "");
  ERR_clear_error();
  return 0;
}

static int load(SSL_CTX *context, const char *certificate, const char *key, char *problem, size_t capacity) {
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
    return fails(problem, capacity, "the certificate cannot be read");
  if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    return fails(problem, capacity, "the key cannot be read, or belongs to another certificate");
  if (SSL_CTX_check_private_key(context) != 1)
    return fails(problem, capacity, "the key belongs to another certificate");
  return 1;
}

musubi_certificate *musubi_certificate_load(const char *certificate, const char *key, char *problem,
                                            size_t capacity) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (!context) {
    snprintf(problem, capacity, "there is no memory");
    return NULL;
  }
  // Without a terminal that asks for a passphrase.
  SSL_CTX_set_default_passwd_cb_userdata(context, (void *)"");
  if (!load(context, certificate, key, problem, capacity)) {
    SSL_CTX_free(context);
    return NULL;
  }
  return (musubi_certificate *)context;
}

void musubi_certificate_free(musubi_certificate *certificate) { SSL_CTX_free((SSL_CTX *)certificate); }

// Where a context keeps the certificate that it shows, and gives it back in its end.
static void give_back(void *parent, void *certificate, CRYPTO_EX_DATA *data, int index, long number, void *argument) {
  (void)parent, (void)data, (void)index, (void)number, (void)argument;
  SSL_CTX_free(certificate);
}

static int shown_index = -1;

static void make_shown_index(void) { shown_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, give_back); }

// A context has a place for each type of key, and would go on showing the old certificate to whoever speaks its type: so each
// handshake gets the one that is shown now, and no other.
static int show(SSL *ssl, void *unused) {
  (void)unused;
  SSL_CTX *shown = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), shown_index);
  STACK_OF(X509) *chain = NULL;
  if (!shown) return 0;
  SSL_CTX_get0_chain_certs(shown, &chain);
  SSL_certs_clear(ssl);
  return SSL_use_cert_and_key(ssl, SSL_CTX_get0_certificate(shown), SSL_CTX_get0_privatekey(shown), chain, 1) == 1;
}

int musubi_tls_use(SSL_CTX *context, const musubi_certificate *certificate) {
  SSL_CTX *checked = (SSL_CTX *)certificate;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_shown_index);
  SSL_CTX *before = SSL_CTX_get_ex_data(context, shown_index);
  ERR_clear_error();
  if (SSL_CTX_up_ref(checked) != 1) return 0;
  if (SSL_CTX_set_ex_data(context, shown_index, checked) != 1) {
    SSL_CTX_free(checked);
    return 0;
  }
  SSL_CTX_free(before);
  SSL_CTX_set_cert_cb(context, show, NULL);
  return 1;
}

int musubi_tls_prepare(SSL_CTX *context, const musubi_certificate *certificate) {
  static const unsigned char name[] = "musubi";
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  // Sessions live in the tickets that clients keep, and nowhere here.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
         SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1 &&
         SSL_CTX_set_session_id_context(context, name, sizeof name - 1) == 1 &&
         SSL_CTX_set_num_tickets(context, 1) == 1 && musubi_tls_use(context, certificate);
}

void musubi_tls_set_ticket_key(SSL_CTX *context, const void *key) {
  SSL_CTX_set_tlsext_ticket_keys(context, (void *)key, musubi_ticket_key_bytes);
}
