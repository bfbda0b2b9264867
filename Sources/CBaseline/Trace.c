// SPDX-License-Identifier: Apache-2.0
//
// Counts system calls of a child by ptrace. Slow for the child, but exact.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CBaseline.h"

#define MOST_THREADS 256

/// ptrace serves only the thread that attached, so all of it happens on one thread of its own.
struct musubi_trace {
  pthread_t thread;
  int pid, failure;
  atomic_bool is_attached, must_stop, has_ended;
  pid_t tasks[MOST_THREADS];
  int task_count;
  musubi_trace_counts counts;
};

static void count(musubi_trace *trace, long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg: trace->counts.receives++; break;
    case SYS_write:
    case SYS_writev:
    case SYS_sendto:
    case SYS_sendmsg: trace->counts.sends++; break;
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
    case SYS_poll:
#endif
    case SYS_epoll_pwait:
    case SYS_ppoll: trace->counts.waits++; break;
    default: trace->counts.others++;
  }
}

/// Attaches to every thread that the process has now.
static int attach(musubi_trace *trace) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", trace->pid);
  DIR *folder = opendir(path);
  if (!folder) return errno;
  int failure = 0;
  for (struct dirent *entry; !failure && (entry = readdir(folder));) {
    pid_t task = atoi(entry->d_name);
    if (task <= 0 || trace->task_count == MOST_THREADS) continue;
    if (ptrace(PTRACE_SEIZE, task, NULL, (void *)PTRACE_O_TRACESYSGOOD) != 0) failure = errno;
    else trace->tasks[trace->task_count++] = task;
  }
  closedir(folder);
  for (int i = 0; i < trace->task_count && !failure; i++)
    ptrace(PTRACE_INTERRUPT, trace->tasks[i], NULL, NULL);
  return failure;
}

/// Handles one stop of one thread and lets it go on to its next system call.
static void go_on(musubi_trace *trace, pid_t task, int status) {
  long signal = 0;
  if (!WIFSTOPPED(status)) return;
  if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY)
      count(trace, (long)info.entry.nr);
  } else if (status >> 16 != PTRACE_EVENT_STOP) {
    signal = WSTOPSIG(status);
  }
  ptrace(PTRACE_SYSCALL, task, NULL, (void *)signal);
}

static void detach(musubi_trace *trace) {
  for (int i = 0; i < trace->task_count; i++) {
    int status;
    ptrace(PTRACE_INTERRUPT, trace->tasks[i], NULL, NULL);
    if (waitpid(trace->tasks[i], &status, __WALL) == trace->tasks[i] && WIFSTOPPED(status))
      ptrace(PTRACE_DETACH, trace->tasks[i], NULL, NULL);
  }
}

/// Interrupts a wait; the loop then looks whether it must stop.
static void wake(int signal) { (void)signal; }

static void *run(void *context) {
  musubi_trace *trace = context;
  // A thread of Dispatch blocks all signals, and so would this one if such a thread has made it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  trace->failure = attach(trace);
  atomic_store(&trace->is_attached, true);
  while (!trace->failure && !atomic_load(&trace->must_stop)) {
    int status;
    pid_t task = waitpid(-1, &status, __WALL | __WNOTHREAD);
    if (task > 0) go_on(trace, task, status);
  }
  detach(trace);
  atomic_store(&trace->has_ended, true);
  return NULL;
}

musubi_trace *musubi_trace_start(int pid, int *failure) {
  musubi_trace *trace = calloc(1, sizeof *trace);
  if (!trace) abort();
  trace->pid = pid;
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = wake}, NULL);
  *failure = pthread_create(&trace->thread, NULL, run, trace);
  if (*failure == 0) {
    while (!atomic_load(&trace->is_attached)) usleep(100);
    *failure = trace->failure;
    if (*failure == 0) return trace;
    pthread_join(trace->thread, NULL);
  }
  free(trace);
  return NULL;
}

musubi_trace_counts musubi_trace_stop(musubi_trace *trace) {
  atomic_store(&trace->must_stop, true);
  // Again and again: a signal that comes just before the wait begins does not end it.
  while (!atomic_load(&trace->has_ended)) {
    pthread_kill(trace->thread, SIGUSR2);
    usleep(1000);
  }
  pthread_join(trace->thread, NULL);
  musubi_trace_counts counts = trace->counts;
  free(trace);
  return counts;
}
