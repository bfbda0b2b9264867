// SPDX-License-Identifier: Apache-2.0
#include "CLibwebsockets.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <string.h>

int musubi_random(void *bytes, size_t count) { return RAND_bytes(bytes, (int)count) == 1; }

int musubi_sha256(const void *bytes, size_t count, void *hash) {
  return EVP_Digest(bytes, count, hash, NULL, EVP_sha256(), NULL) == 1;
}

int musubi_hmac_sha256(const void *key, size_t key_count, const void *bytes, size_t count, void *code) {
  return key_count <= INT_MAX && HMAC(EVP_sha256(), key, (int)key_count, bytes, count, code, NULL) != NULL;
}

int musubi_is_equal(const void *one, const void *other, size_t count) { return CRYPTO_memcmp(one, other, count) == 0; }

void *musubi_sha256_begin(void) {
  EVP_MD_CTX *state = EVP_MD_CTX_new();
  if (state && EVP_DigestInit_ex(state, EVP_sha256(), NULL) == 1)
    return state;
  EVP_MD_CTX_free(state);
  return NULL;
}

int musubi_sha256_add(void *state, const void *bytes, size_t count) { return EVP_DigestUpdate(state, bytes, count) == 1; }

int musubi_sha256_end(void *state, void *hash) {
  int done = !hash || EVP_DigestFinal_ex(state, hash, NULL) == 1;
  EVP_MD_CTX_free(state);
  return done;
}

int musubi_base64_decode(const void *text, size_t count, void *bytes) {
  return count > INT_MAX ? -1 : EVP_DecodeBlock(bytes, text, (int)count);
}

int musubi_derive_key(const void *key, size_t key_count, const char *purpose, void *derived) {
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, NULL);
  size_t count = musubi_key_bytes;
  int done = context && key_count <= INT_MAX && EVP_PKEY_derive_init(context) == 1 &&
             EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) == 1 &&
             EVP_PKEY_CTX_set1_hkdf_key(context, key, (int)key_count) == 1 &&
             EVP_PKEY_CTX_add1_hkdf_info(context, (const unsigned char *)purpose, (int)strlen(purpose)) == 1 &&
             EVP_PKEY_derive(context, derived, &count) == 1;
  EVP_PKEY_CTX_free(context);
  return done;
}

int musubi_seal(const void *key, const void *nonce, const void *beside, size_t beside_count, const void *plain,
                size_t count, void *sealed) {
  if (beside_count > INT_MAX || count > INT_MAX - musubi_tag_bytes)
    return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  unsigned char *bytes = sealed;
  int taken = 0;
  int done = context && EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
             EVP_EncryptUpdate(context, NULL, &taken, beside, (int)beside_count) == 1 &&
             EVP_EncryptUpdate(context, bytes, &taken, plain, (int)count) == 1 &&
             EVP_EncryptFinal_ex(context, bytes + taken, &taken) == 1 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, musubi_tag_bytes, bytes + count) == 1;
  EVP_CIPHER_CTX_free(context);
  return done;
}

int musubi_unseal(const void *key, const void *nonce, const void *beside, size_t beside_count, const void *sealed,
                  size_t count, void *plain) {
  if (beside_count > INT_MAX || count > INT_MAX || count < musubi_tag_bytes)
    return 0;
  EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
  const unsigned char *bytes = sealed;
  unsigned char *into = plain;
  size_t plain_count = count - musubi_tag_bytes;
  int taken = 0;
  int done = context && EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
             EVP_DecryptUpdate(context, NULL, &taken, beside, (int)beside_count) == 1 &&
             EVP_DecryptUpdate(context, into, &taken, bytes, (int)plain_count) == 1 &&
             EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, musubi_tag_bytes, (void *)(bytes + plain_count)) == 1 &&
             EVP_DecryptFinal_ex(context, into + taken, &taken) == 1;
  EVP_CIPHER_CTX_free(context);
  ERR_clear_error();
  return done;
}
