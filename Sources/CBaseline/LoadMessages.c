// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Load.h"

/// The number in a message's text is written with eight digits.
#define TEXT_DIGITS 8
#define TEXT_MODULUS 100000000u

// MARK: Messages

static size_t write_number(char *out, uint64_t value, int digits) {
  char reversed[20];
  int count = 0;
  do {
    reversed[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (count < digits) reversed[count++] = '0';
  for (int i = 0; i < count; i++) out[i] = reversed[count - 1 - i];
  return (size_t)count;
}

void musubi_load_parse_template(const char *text, load_template *parsed) {
  parsed->count = 0;
  while (*text && parsed->count < LOAD_TEMPLATE_PIECES) {
    load_template_piece *piece = &parsed->pieces[parsed->count++];
    bool has_field = text[0] == '{' && text[1] && text[2] == '}';
    piece->field = has_field ? text[1] : 0;
    if (has_field) text += 3;
    const char *end = text;
    while (*end && !(end[0] == '{' && end[1] && end[2] == '}')) end++;
    piece->length = (size_t)(end - text);
    if (piece->length > sizeof piece->text) abort();
    memcpy(piece->text, text, piece->length);
    text = end;
  }
}

size_t musubi_load_write_message(
    const musubi_load *load, const connection *c, uint64_t n, uint64_t revision, char *out) {
  const load_template *template = n == 1 ? &load->first_request : &load->request;
  size_t count = 0;
  for (int i = 0; i < template->count; i++) {
    const load_template_piece *piece = &template->pieces[i];
    switch (piece->field) {
      case 'n': count += write_number(out + count, n, 1); break;
      case 't': count += write_number(out + count, n % TEXT_MODULUS, TEXT_DIGITS); break;
      case 'r': count += write_number(out + count, revision, 1); break;
      case 'c': count += write_number(out + count, c->number, 1); break;
      default: break;
    }
    memcpy(out + count, piece->text, piece->length);
    count += piece->length;
  }
  return count;
}

void musubi_load_send_messages(musubi_load *load, connection *c, uint64_t count) {
  char text[LONGEST_MESSAGE];
  size_t filled = 0;
  uint64_t now = musubi_now_ns();
  for (; count > 0; count--) {
    uint64_t n = ++c->sent;
    uint64_t behind = c->revision < load->plan.behind ? c->revision : load->plan.behind;
    uint64_t revision = load->plan.expects_turns ? c->revision - behind : n - 1;
    size_t length = musubi_load_write_message(load, c, n, revision, text);
    load->random = load->random * 1664525u + 1013904223u;
    filled += musubi_baseline_frame_masked(
        load->out + filled, MUSUBI_TEXT, (uint8_t *)text, length, load->random);
    c->sent_at[n % load->plan.in_flight] = now;
    if (load->counts) load->result->payload_bytes_sent += length;
    if (filled < SCRATCH - 2 * LONGEST_MESSAGE) continue;
    musubi_load_send(load, c, load->out, filled);
    filled = 0;
  }
  if (filled > 0) musubi_load_send(load, c, load->out, filled);
}

// MARK: Answers

/// Where a frame's text goes on after `key`; NULL if it has none.
static const char *after(const musubi_frame *frame, const char *key) {
  size_t length = strlen(key);
  const char *found = memmem(frame->payload, frame->length, key, length);
  return found ? found + length : NULL;
}

/// Whether a frame begins with `prefix`; then `*rest` is what follows.
static bool begins(const musubi_frame *frame, const char *prefix, const char **rest) {
  size_t length = strlen(prefix);
  if (frame->length < length || memcmp(frame->payload, prefix, length) != 0) return false;
  *rest = (const char *)frame->payload + length;
  return true;
}

/// Reads decimal digits up to the frame's end.
static uint64_t number(const musubi_frame *frame, const char *from) {
  const char *end = (const char *)frame->payload + frame->length;
  uint64_t value = 0;
  for (; from && from < end && *from >= '0' && *from <= '9'; from++)
    value = value * 10 + (uint64_t)(*from - '0');
  return value;
}

static uint64_t wrong(musubi_load *load, const connection *c, const musubi_frame *frame, const char *what) {
  int shown = frame->length < 120 ? (int)frame->length : 120;
  musubi_load_fail(load, c, "%s: %.*s", what, shown, (char *)frame->payload);
  return 0;
}

/// A baseline's answer: the text of the message, filled up to the length that was asked for.
static uint64_t take_echo(musubi_load *load, connection *c, const musubi_frame *frame) {
  char expected[LONGEST_MESSAGE];
  uint64_t n = c->answered + 1;
  size_t length = musubi_load_write_message(load, c, n, n - 1, expected);
  size_t whole = length > load->plan.reply_length ? length : load->plan.reply_length;
  if (frame->length != whole) return wrong(load, c, frame, "an answer of the wrong length");
  if (memcmp(frame->payload, expected, length) != 0) return wrong(load, c, frame, "not the next answer");
  if (load->counts) load->result->effect_frames++;
  return 1;
}

/// A turn of musubi.v1: next in sequence, holding the text typed last, acknowledged before it came.
///
/// It answers all messages up to that text. The sender's were acknowledged one by one, and each is a step: the revision
/// tells that none is missing.
static uint64_t take_turn(musubi_load *load, connection *c, const musubi_frame *frame, const char *rest) {
  uint64_t sequence = number(frame, rest);
  if (sequence != c->sequence + 1) return wrong(load, c, frame, "a turn out of sequence");
  c->sequence = sequence;
  const char *text = after(frame, "\"value\":\"");
  if (!text) return wrong(load, c, frame, "a turn without text");
  uint64_t covered = (number(frame, text) + TEXT_MODULUS - c->answered % TEXT_MODULUS) % TEXT_MODULUS;
  bool is_sender = !load->plan.is_fan_out || c->number == 0;
  uint64_t limit = is_sender ? c->acknowledged - c->answered : load->plan.in_flight;
  if (covered == 0 || covered > limit) return wrong(load, c, frame, "a turn with a text that is not due");
  if (is_sender && load->plan.sends_edits) {
    uint64_t revision = number(frame, after(frame, "\"revision\":"));
    if (revision != c->revision + covered) return wrong(load, c, frame, "a turn with another revision");
    c->revision = revision;
  }
  if (load->counts) load->result->effect_frames++;
  return covered;
}

uint64_t musubi_load_take_answer(musubi_load *load, connection *c, const musubi_frame *frame) {
  const char *rest;
  if (load->counts) {
    load->result->frames_received++;
    load->result->payload_bytes_received += frame->length;
  }
  if (!load->plan.expects_turns) return take_echo(load, c, frame);
  if (begins(frame, "{\"sequence\":", &rest)) return take_turn(load, c, frame, rest);
  if (begins(frame, "{\"ack\":", &rest)) {
    uint64_t acknowledged = number(frame, rest);
    if (acknowledged <= c->acknowledged || acknowledged > c->sent)
      return wrong(load, c, frame, "a wrong ack");
    c->acknowledged = acknowledged;
    return 0;
  }
  if (begins(frame, "{\"taken\":", &rest) || begins(frame, "{\"pong\":", &rest)) return 0;
  return wrong(load, c, frame, "an unexpected frame");
}

// MARK: Greetings

/// Copies the string that follows `key`, at most `capacity` - 1 bytes; empty if there is none.
static void copy_string(const musubi_frame *frame, const char *key, char *out, size_t capacity) {
  const char *from = after(frame, key), *end = (const char *)frame->payload + frame->length;
  size_t count = 0;
  while (from && from < end && *from != '"' && count < capacity - 1) out[count++] = *from++;
  out[count] = 0;
}

size_t musubi_load_write_resume(const connection *c, char *out, size_t capacity) {
  int count = snprintf(
      out, capacity, "{\"resume\":{\"session\":\"%s\",\"token\":\"%s\",\"position\":[\"%s\",%" PRIu64 "]}}",
      c->ticket.session, c->ticket.token, c->ticket.epoch, c->sequence);
  return count < 0 || (size_t)count >= capacity ? 0 : (size_t)count;
}

/// Takes the first frames of a new session.
static void take_first(musubi_load *load, connection *c, const musubi_frame *frame) {
  const char *rest;
  if (begins(frame, "{\"snapshot\":", &rest)) {
    const char *revisions = after(frame, "\"revisions\":{\"number\":");
    c->sequence = number(frame, after(frame, "\"sequence\":"));
    c->revision = number(frame, revisions);
    if (load->plan.resumes) copy_string(frame, "\"epoch\":\"", c->ticket.epoch, sizeof c->ticket.epoch);
  } else if (begins(frame, "{\"hello\":", &rest)) {
    if (!load->plan.resumes) return;
    copy_string(frame, "\"session\":\"", c->ticket.session, sizeof c->ticket.session);
    copy_string(frame, "\"token\":\"", c->ticket.token, sizeof c->ticket.token);
  } else {
    wrong(load, c, frame, "an unexpected greeting");
  }
}

/// Takes the one frame of a session that goes on where it was.
static void take_resumed(musubi_load *load, connection *c, const musubi_frame *frame) {
  const char *rest, *turns = after(frame, "\"turns\":");
  if (!begins(frame, "{\"resumed\":", &rest) || !turns || *turns != '0') {
    wrong(load, c, frame, "a session that was not resumed");
    return;
  }
  copy_string(frame, "\"token\":\"", c->ticket.token, sizeof c->ticket.token);
  c->greeted = load->plan.greeting_frames;
}

void musubi_load_take_greeting(musubi_load *load, connection *c, const musubi_frame *frame) {
  c->greeted++;
  bool is_first = load->plan.resumes && load->plan.expects_turns && !c->is_resuming;
  if (load->counts && !is_first) load->result->payload_bytes_received += frame->length;
  if (!load->plan.expects_turns) return;
  if (c->is_resuming) take_resumed(load, c, frame);
  else take_first(load, c, frame);
}
