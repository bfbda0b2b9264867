// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CTraps.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const int trap_signals[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
enum { trap_count = sizeof trap_signals / sizeof *trap_signals };

/// Enough for this handler and for that of Swift's runtime behind it, which prints the report.
enum { stack_bytes = 128 * 1024 };

static struct sigaction earlier_actions[trap_count];
static volatile uint8_t *process_signal;

// Found by an offset from a register: a handler may call no allocator.
static _Thread_local volatile musubi_trap_record *thread_record __attribute__((tls_model("initial-exec")));

/// Lock-free, so that a handler may read it.
static atomic_int under_way;

void musubi_traps_under_way(int change) { atomic_fetch_add(&under_way, change); }

/// Lets other threads write what the trapping one has given them: they stop with the process.
static void wait_for_others(void) {
  const struct timespec millisecond = {.tv_nsec = 1000000};
  for (int round = 0; round < 500 && atomic_load(&under_way) > 0; round++)
    nanosleep(&millisecond, NULL);
}

static void note_trap(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  // Positive codes are the kernel's: a fault. Others are sent: by `abort` and `raise`, or by another process.
  int is_fault = info->si_code > 0;
  if (is_fault || info->si_pid == getpid()) {
    *process_signal = (uint8_t)number;
    if (thread_record)
      thread_record->signal = (uint8_t)number;
    wait_for_others();
  }
  for (size_t index = 0; index < trap_count; index++)
    if (trap_signals[index] == number)
      sigaction(number, &earlier_actions[index], NULL);
  // A fault comes again by itself, with all that its report tells, when the instruction is run again. Behind
  // a trap instruction the program would go on instead. A signal that is raised here is blocked until this
  // returns.
  if (!is_fault || number == SIGTRAP)
    raise(number);
  errno = saved;
}

int musubi_traps_catch(uint8_t *signal_place) {
  process_signal = signal_place;
  struct sigaction action = {.sa_sigaction = note_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  for (size_t index = 0; index < trap_count; index++)
    if (sigaction(trap_signals[index], &action, &earlier_actions[index]) < 0)
      return errno;
  return 0;
}

int musubi_traps_watch_thread(musubi_trap_record *record) {
  stack_t stack = {0};
  if (sigaltstack(NULL, &stack) < 0)
    return errno;
  if (stack.ss_flags & SS_DISABLE) {
    // Given back by nobody: the thread needs it to its last instruction. Memory that nothing touches costs none.
    void *memory = mmap(NULL, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return errno;
    stack = (stack_t){.ss_sp = memory, .ss_size = stack_bytes};
    if (sigaltstack(&stack, NULL) < 0)
      return errno;
  }
  thread_record = record;
  return 0;
}
