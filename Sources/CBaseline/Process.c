// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "CBaseline.h"

uint64_t musubi_now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t musubi_process_cpu_ns(int pid) {
  clockid_t clock;
  struct timespec used;
  if (pid == 0 || clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

int musubi_pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int any = 0; core < 0 && any < CPU_SETSIZE; any++) CPU_SET((unsigned)any, &set);
  if (core >= 0) CPU_SET((unsigned)core, &set);
  return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

/// The child's part of `musubi_spawn`: only calls that are safe after a fork.
static _Noreturn void become(char *const arguments[], int core, int output, pid_t parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent) _exit(126);
  if (musubi_pin(core) != 0) _exit(125);  // without a core of its own, not on that of the load
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(arguments[0], arguments);
  _exit(127);
}

int musubi_spawn(char *const arguments[], int core, musubi_child *child) {
  if (access(arguments[0], X_OK) != 0) return errno;
  int output = memfd_create("server-output", MFD_CLOEXEC);
  if (output < 0) return errno;
  fcntl(output, F_SETFL, O_APPEND);
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid < 0) {
    int failure = errno;
    close(output);
    return failure;
  }
  if (pid == 0) become(arguments, core, output, parent);
  child->pid = pid;
  child->output = output;
  return 0;
}

int musubi_stop(musubi_child *child, int grace_ms) {
  int status = 0;
  pid_t ended = 0;
  kill(child->pid, SIGTERM);
  for (int waited = 0; ended == 0 && waited < grace_ms; waited += 5) {
    ended = waitpid(child->pid, &status, WNOHANG);
    if (ended == 0) usleep(5000);
  }
  if (ended == 0) {
    kill(child->pid, SIGKILL);
    waitpid(child->pid, &status, 0);
  }
  close(child->output);
  child->pid = 0;
  return status;
}

size_t musubi_child_output(const musubi_child *child, char *text, size_t capacity) {
  ssize_t count = pread(child->output, text, capacity - 1, 0);
  if (count < 0) count = 0;
  text[count] = 0;
  return (size_t)count;
}
