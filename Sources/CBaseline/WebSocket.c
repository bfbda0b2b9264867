// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "WebSocket.h"

#include <stdlib.h>
#include <string.h>

// MARK: Frames

static void apply_mask(uint8_t *bytes, size_t count, uint32_t key) {
  uint64_t wide = (uint64_t)key << 32 | key;
  size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    uint64_t word;
    memcpy(&word, bytes + i, 8);
    word ^= wide;
    memcpy(bytes + i, &word, 8);
  }
  for (; i < count; i++) bytes[i] ^= (uint8_t)(key >> (8 * (i & 3)));
}

ssize_t musubi_baseline_frame_parse(uint8_t *bytes, size_t count, musubi_frame *frame) {
  if (count < 2) return 0;
  bool is_masked = bytes[1] & 0x80;
  size_t length = bytes[1] & 0x7F, header = 2;
  if (!(bytes[0] & 0x80) || (bytes[0] & 0x70)) return -1;
  if (length == 126) {
    if (count < 4) return 0;
    length = (size_t)bytes[2] << 8 | bytes[3];
    header = 4;
  } else if (length == 127) {
    if (count < 10) return 0;
    length = 0;
    for (int i = 2; i < 10; i++) length = length << 8 | bytes[i];
    if (length > 1u << 24) return -1;
    header = 10;
  }
  if (is_masked) header += 4;
  if (count < header + length) return 0;
  frame->opcode = bytes[0] & 0x0F;
  frame->payload = bytes + header;
  frame->length = length;
  if (is_masked) {
    uint32_t key;
    memcpy(&key, bytes + header - 4, 4);
    apply_mask(frame->payload, length, key);
  }
  return (ssize_t)(header + length);
}

size_t musubi_baseline_frame_header(uint8_t *out, uint8_t opcode, size_t length) {
  out[0] = 0x80 | opcode;
  if (length < 126) {
    out[1] = (uint8_t)length;
    return 2;
  }
  if (length < 65536) {
    out[1] = 126;
    out[2] = (uint8_t)(length >> 8);
    out[3] = (uint8_t)length;
    return 4;
  }
  out[1] = 127;
  for (int i = 0; i < 8; i++) out[2 + i] = (uint8_t)(length >> (56 - 8 * i));
  return 10;
}

size_t musubi_baseline_frame_masked(
    uint8_t *out, uint8_t opcode, const uint8_t *payload, size_t length, uint32_t key) {
  size_t header = musubi_baseline_frame_header(out, opcode, length);
  out[1] |= 0x80;
  memcpy(out + header, &key, 4);
  memcpy(out + header + 4, payload, length);
  apply_mask(out + header + 4, length, key);
  return header + 4 + length;
}

// MARK: Handshake

static uint32_t rotated(uint32_t value, int by) { return value << by | value >> (32 - by); }

/// One block of SHA-1 (FIPS 180-4, section 6.1.2).
static void sha1_block(uint32_t state[5], const uint8_t block[64]) {
  uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
  for (int t = 0; t < 16; t++) {
    const uint8_t *p = block + 4 * t;
    w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
  }
  for (int t = 16; t < 80; t++) w[t] = rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
  for (int t = 0; t < 80; t++) {
    uint32_t f, k;
    if (t < 20) f = (b & c) | (~b & d), k = 0x5A827999;
    else if (t < 40) f = b ^ c ^ d, k = 0x6ED9EBA1;
    else if (t < 60) f = (b & c) | (b & d) | (c & d), k = 0x8F1BBCDC;
    else f = b ^ c ^ d, k = 0xCA62C1D6;
    uint32_t next = rotated(a, 5) + f + e + k + w[t];
    e = d, d = c, c = rotated(b, 30), b = a, a = next;
  }
  state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
}

void musubi_baseline_accept(const char *key, size_t key_length, char out[MUSUBI_ACCEPT_LENGTH]) {
  static const char identifier[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t message[128] = {0}, digest[21] = {0};
  if (key_length > 64) key_length = 64;
  memcpy(message, key, key_length);
  memcpy(message + key_length, identifier, 36);
  size_t length = key_length + 36;
  message[length] = 0x80;
  size_t padded = length + 9 <= 64 ? 64 : 128;
  message[padded - 2] = (uint8_t)(length * 8 >> 8);
  message[padded - 1] = (uint8_t)(length * 8);
  uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
  for (size_t i = 0; i < padded; i += 64) sha1_block(state, message + i);
  for (int i = 0; i < 20; i++) digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
  for (int i = 0, o = 0; i < 21; i += 3, o += 4) {
    uint32_t group = (uint32_t)digest[i] << 16 | (uint32_t)digest[i + 1] << 8 | digest[i + 2];
    for (int j = 0; j < 4; j++) out[o + j] = alphabet[group >> (18 - 6 * j) & 63];
  }
  out[MUSUBI_ACCEPT_LENGTH - 1] = '=';  // 20 bytes leave one group of two
}

size_t musubi_baseline_query_number(const char *target, const char *name) {
  const char *found = strstr(target, name);
  return found ? strtoul(found + strlen(name), NULL, 10) : 0;
}
