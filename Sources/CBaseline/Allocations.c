// SPDX-License-Identifier: Apache-2.0
//
// Counts the heap allocations of this program. Its own malloc takes the place of the C library's, also for
// the Swift runtime; it costs a test of a flag until somebody counts.
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "CBaseline.h"

static atomic_ullong allocations, allocated_bytes;
static atomic_bool counts;

// A sanitizer brings a malloc of its own.
#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

static inline void note(size_t size) {
  if (!atomic_load_explicit(&counts, memory_order_relaxed)) return;
  atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&allocated_bytes, size, memory_order_relaxed);
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size) {
  note(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  note(size);
  return __libc_realloc(old, size);
}

#endif

/// Prints the count; calls only functions that a signal handler may call.
static void print_count(int signal) {
  (void)signal;
  char line[40] = "\nallocations ";
  char digits[20];
  int length = 13, count = 0;
  unsigned long long value = atomic_load(&allocations);
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  while (count > 0) line[length++] = digits[--count];
  line[length++] = '\n';
  if (write(STDOUT_FILENO, line, (size_t)length) < 0) abort();
}

void musubi_count_allocations(void) {
  struct sigaction action = {.sa_handler = print_count, .sa_flags = SA_RESTART};
  sigaction(SIGUSR1, &action, NULL);
  atomic_store(&counts, true);
}

unsigned long long musubi_allocations(void) { return atomic_load(&allocations); }

unsigned long long musubi_allocated_bytes(void) { return atomic_load(&allocated_bytes); }
