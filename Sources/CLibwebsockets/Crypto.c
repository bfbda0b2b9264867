// SPDX-License-Identifier: Apache-2.0
#include "CLibwebsockets.h"

#include <limits.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

int musubi_random(void *bytes, size_t count) { return RAND_bytes(bytes, (int)count) == 1; }

int musubi_sha256(const void *bytes, size_t count, void *hash) {
  return EVP_Digest(bytes, count, hash, NULL, EVP_sha256(), NULL) == 1;
}

int musubi_base64_decode(const void *text, size_t count, void *bytes) {
  return count > INT_MAX ? -1 : EVP_DecodeBlock(bytes, text, (int)count);
}
