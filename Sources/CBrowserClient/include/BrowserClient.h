// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

/// A file of the browsers' client, as the program sends it.
typedef struct {
  /// Where pages find it, such as `musubi/dev.js`.
  const char *path;
  const unsigned char *bytes;
  size_t count;
} musubi_client_file;

/// One of the client's files.
///
/// @param index From 0 on.
/// @return The file, or NULL behind the last one.
const musubi_client_file *musubi_client_file_at(size_t index);
