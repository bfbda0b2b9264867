// SPDX-License-Identifier: Apache-2.0
//
// As much of RFC 6455 as two programs on one machine need that trust each other: no extensions, no fragments.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MUSUBI_TEXT = 1, MUSUBI_CLOSE = 8, MUSUBI_PING = 9, MUSUBI_PONG = 10 };

/// Most bytes that a frame's header takes.
#define MUSUBI_HEADER_LENGTH 14

/// The length of a Sec-WebSocket-Accept value without a terminating zero.
#define MUSUBI_ACCEPT_LENGTH 28

typedef struct {
  uint8_t opcode;
  uint8_t *payload;
  size_t length;
} musubi_frame;

/// Reads one frame and unmasks it in place.
///
/// Returns its length with header, 0 if it is not complete, -1 if it is nothing that this program speaks.
ssize_t musubi_baseline_frame_parse(uint8_t *bytes, size_t count, musubi_frame *frame);

/// Writes the header of an unmasked frame; its length.
size_t musubi_baseline_frame_header(uint8_t *out, uint8_t opcode, size_t length);

/// Writes a whole masked frame; its length.
size_t musubi_baseline_frame_masked(
    uint8_t *out, uint8_t opcode, const uint8_t *payload, size_t length, uint32_t key);

/// Computes the answer to a Sec-WebSocket-Key.
void musubi_baseline_accept(const char *key, size_t key_length, char out[MUSUBI_ACCEPT_LENGTH]);

/// Reads a whole number of a query, such as `reply=200`; 0 if it is missing.
size_t musubi_baseline_query_number(const char *target, const char *name);
