// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLibwebsockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

int musubi_accept(int listener, char *address, size_t capacity) {
  struct sockaddr_storage peer;
  socklen_t length = sizeof peer;
  int descriptor = accept4(listener, (struct sockaddr *)&peer, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0)
    return -errno;
  const void *bytes = peer.ss_family == AF_INET6 ? (const void *)&((struct sockaddr_in6 *)&peer)->sin6_addr
                                                 : (const void *)&((struct sockaddr_in *)&peer)->sin_addr;
  if (!inet_ntop(peer.ss_family, bytes, address, (socklen_t)capacity))
    address[0] = 0;
  return descriptor;
}

int musubi_cores(void) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 0;
}

void musubi_name_current_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

enum { most_signals = 8 };

static atomic_int signal_pipe = -1;
static int signal_numbers[most_signals];
static size_t signal_count;
static struct sigaction earlier_actions[most_signals];

static void note_signal(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  int pipe = atomic_load(&signal_pipe);
  // A full pipe already says everything; there is nobody to tell of another failure.
  if (pipe >= 0 && write(pipe, &byte, 1) < 0) {
  }
  errno = saved;
}

int musubi_signals_watch(const int *numbers, size_t count) {
  int ends[2];
  if (count > most_signals || atomic_load(&signal_pipe) >= 0 || pipe2(ends, O_CLOEXEC) < 0)
    return -1;
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  atomic_store(&signal_pipe, ends[1]);
  struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  for (signal_count = 0; signal_count < count; signal_count++) {
    signal_numbers[signal_count] = numbers[signal_count];
    sigaction(numbers[signal_count], &action, &earlier_actions[signal_count]);
  }
  return ends[0];
}

void musubi_signals_unwatch(void) {
  int pipe = atomic_exchange(&signal_pipe, -1);
  if (pipe < 0)
    return;
  for (size_t index = 0; index < signal_count; index++)
    sigaction(signal_numbers[index], &earlier_actions[index], NULL);
  close(pipe);
}

size_t musubi_gzip(const uint8_t *bytes, size_t count, uint8_t *into, size_t capacity) {
  z_stream stream = {0};
  // Window bits above 15 ask for gzip's header and trailer.
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = into;
  stream.avail_out = (uInt)capacity;
  int result = deflate(&stream, Z_FINISH);
  size_t written = result == Z_STREAM_END ? stream.total_out : 0;
  deflateEnd(&stream);
  return written;
}

size_t musubi_heap_in_use(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

size_t musubi_heap_free(void) { return mallinfo2().fordblks; }

void musubi_heap_trim(void) { malloc_trim(0); }
