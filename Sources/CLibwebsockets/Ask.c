// SPDX-License-Identifier: Apache-2.0
#include "CLibwebsockets.h"

#include <errno.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static ssize_t exchange_plain(int descriptor, const char *request, char *answer, size_t capacity) {
  if (send(descriptor, request, strlen(request), MSG_NOSIGNAL) < 0)
    return -1;
  size_t count = 0;
  ssize_t more = 0;
  while (count < capacity && (more = recv(descriptor, answer + count, capacity - count, 0)) > 0)
    count += (size_t)more;
  return more < 0 && count == 0 ? -1 : (ssize_t)count;
}

static ssize_t exchange_by_tls(int descriptor, const char *request, char *answer, size_t capacity) {
  // The certificate is not checked: it has the name that visitors know, and the question goes to this machine.
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());
  SSL *tls = context ? SSL_new(context) : NULL;
  ssize_t count = -1;
  if (tls && SSL_set_fd(tls, descriptor) == 1 && SSL_connect(tls) == 1 &&
      SSL_write(tls, request, (int)strlen(request)) > 0) {
    int more = 0;
    count = 0;
    while ((size_t)count < capacity && (more = SSL_read(tls, answer + count, (int)(capacity - (size_t)count))) > 0)
      count += more;
    if (count == 0)
      count = -1;
  }
  SSL_free(tls);
  SSL_CTX_free(context);
  return count;
}

static int reach(const char *host, const char *port, int seconds, const char **problem) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *all = NULL;
  int failure = getaddrinfo(host, port, &hints, &all);
  if (failure) {
    *problem = gai_strerror(failure);
    return -1;
  }
  int descriptor = -1;
  for (struct addrinfo *one = all; one && descriptor < 0; one = one->ai_next) {
    descriptor = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (descriptor < 0)
      continue;
    // Linux counts a connection that is not answered as sending.
    struct timeval limit = {.tv_sec = seconds};
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(descriptor, one->ai_addr, one->ai_addrlen) == 0)
      break;
    *problem = errno == EINPROGRESS ? "nobody answers" : strerror(errno);
    close(descriptor);
    descriptor = -1;
  }
  freeaddrinfo(all);
  return descriptor;
}

ssize_t musubi_ask(const char *host, const char *port, int is_secure, int seconds, const char *request, char *answer,
                   size_t capacity, const char **problem) {
  *problem = "there is no socket";
  int descriptor = reach(host, port, seconds, problem);
  if (descriptor < 0)
    return -1;
  errno = 0;
  ssize_t count = is_secure ? exchange_by_tls(descriptor, request, answer, capacity)
                            : exchange_plain(descriptor, request, answer, capacity);
  if (count < 0)
    *problem = errno == EAGAIN ? "nobody answers" : errno ? strerror(errno) : "the connection was closed";
  close(descriptor);
  return count;
}
