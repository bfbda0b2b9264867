// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

/// The event that a thread runs at the moment: written before it runs, in memory that outlives the process.
typedef struct {
  /// A hash that names the room; 0 if it is not stored.
  uint64_t room;
  /// The session's name, filled up with zeros.
  char session[24];
  /// The input's number.
  int64_t number;
  /// The kind of event; 0 while nothing runs.
  uint8_t kind;
  /// The signal that ended it; 0 as long as none has. The handler alone writes it.
  uint8_t signal;
  uint8_t reserved[2];
  /// The number of the file that has the room's events; 0 if there is none.
  uint32_t record;
  uint8_t more[16];
} musubi_trap_record;

/// Catches the signals with which a program ends itself (ILL, TRAP, SEGV, BUS, FPE, ABRT): notes them, and lets them take
/// their course, so that the status and the core are as if nobody had caught them.
///
/// A signal that another process sends is not noted: it tells nothing of what runs.
///
/// @param process_signal Where each of them is noted, on whichever thread it comes; stays valid.
/// @return 0, or the error number.
int musubi_traps_catch(uint8_t *process_signal);

/// Changes how much is under way on other threads that a trap is to wait for, for at most half a second.
///
/// @param change What is added.
void musubi_traps_under_way(int change);

/// Has the signals that end the calling thread noted in its record, too, on a stack of their own: a stack that is full is
/// among their causes.
///
/// @param record The thread's record; stays valid.
/// @return 0, or the error number.
int musubi_traps_watch_thread(musubi_trap_record *record);
