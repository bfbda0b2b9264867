// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <string.h>

/// Counts durations with an error of at most 1/64, whatever their size.
///
/// Below 64 each value has its bucket; above, each power of two is split into 64.
typedef struct {
  uint64_t count, max;
  uint32_t buckets[59 * 64];
} musubi_histogram;

static inline void musubi_histogram_clear(musubi_histogram *histogram) {
  memset(histogram, 0, sizeof *histogram);
}

static inline void musubi_histogram_add(musubi_histogram *histogram, uint64_t value) {
  uint64_t index = value;
  if (value >= 64) {
    int shift = 57 - __builtin_clzll(value);
    index = (uint64_t)(shift + 1) * 64 + (value >> shift) - 64;
  }
  histogram->buckets[index]++;
  histogram->count++;
  if (value > histogram->max) histogram->max = value;
}

/// The smallest value that at least `share` of all values do not exceed.
static inline uint64_t musubi_histogram_quantile(const musubi_histogram *histogram, double share) {
  uint64_t wanted = (uint64_t)(share * (double)histogram->count), seen = 0;
  for (uint64_t i = 0; i < sizeof histogram->buckets / sizeof *histogram->buckets; i++) {
    seen += histogram->buckets[i];
    if (seen > wanted) return i < 64 ? i : (i % 64 + 64) << (i / 64 - 1);
  }
  return histogram->max;
}
