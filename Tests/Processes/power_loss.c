// SPDX-License-Identifier: Apache-2.0
// A disk that forgets unsynced writes with the power. Loaded into a server by LD_PRELOAD, it copies a file
// into the folder MUSUBI_DISK whenever the file is synced: there is what such a disk holds. servers.py takes
// the power away.
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int copy(int from, const char *path) {
  char part[PATH_MAX + 8], buffer[65536];
  snprintf(part, sizeof part, "%s.part", path);
  int to = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (to < 0) return -1;
  ssize_t count;
  off_t offset = 0;
  while ((count = pread(from, buffer, sizeof buffer, offset)) > 0 && write(to, buffer, count) == count) offset += count;
  // A copy is there as a whole or not at all, whenever the process is killed.
  if (close(to) < 0 || count != 0) return -1;
  return rename(part, path);
}

static int sync_file(int descriptor) {
  const char *disk = getenv("MUSUBI_DISK");
  struct stat status;
  if (!disk || fstat(descriptor, &status) < 0) return -1;
  if (!S_ISREG(status.st_mode)) return 0;
  char link[32], name[PATH_MAX], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length < 0) return -1;
  name[length] = 0;
  if (snprintf(path, sizeof path, "%s/%s", disk, strrchr(name, '/') + 1) >= (int)sizeof path) return -1;
  return copy(descriptor, path);
}

int fsync(int descriptor) { return sync_file(descriptor); }

int fdatasync(int descriptor) { return sync_file(descriptor); }
