// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A program that this one has started; a Ctrl-C of the terminal reaches both.
final class ChildProcess {
  /// Where its standard output goes.
  enum Output {
    case terminal, standardError
    case descriptor(Int32)
  }

  let id: pid_t
  /// Readable from the program's end on.
  let end: Int32

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: The program, found by `PATH`, and its arguments.
  ///   - folder: The folder in which it works.
  ///   - output: Takes its standard output.
  ///   - errors: Takes its standard error; nil leaves it with this process's.
  ///   - sockets: What it gets as descriptors from 3 on, with their names in `LISTEN_FDNAMES`; their own numbers are
  ///     10 and above.
  /// - Throws: `ToolError` if the system starts nothing; a program that does not exist ends with 127.
  init(
    _ words: [String], in folder: String, output: Output = .terminal, errors: Int32? = nil,
    sockets: [(name: String, descriptor: Int32)] = []
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    switch output {
    case .terminal: break
    case .standardError: posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
    }
    if let errors { posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO) }
    for (place, socket) in zip(Int32(3)..., sockets) {
      posix_spawn_file_actions_adddup2(&actions, socket.descriptor, place)
    }
    // A thread of the library may block signals; the program is to hear them.
    var attributes = posix_spawnattr_t()
    var noSignals = sigset_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    // The shell goes to the folder and becomes the program, under the process id that it announces.
    let names = sockets.map(\.name).joined(separator: ":")
    let announcement =
      sockets.isEmpty ? "" : "LISTEN_FDS=\(sockets.count) LISTEN_FDNAMES=\(names) LISTEN_PID=$$ "
    let command =
      ["/bin/sh", "-c", "cd \"$1\" && shift && \(announcement)exec \"$@\"", "sh", folder] + words
    let arguments = command.map { strdup($0) } + [nil]
    defer { arguments.forEach { free($0) } }
    let (reading, writing) = try DescriptorPair.pipe()
    var id: pid_t = 0
    let status = posix_spawn(&id, command[0], &actions, &attributes, arguments, environ)
    guard status == 0 else {
      close(reading)
      close(writing)
      throw ToolError("\(words[0]) cannot be run: \(String(cString: strerror(status))).")
    }
    (self.id, end) = (id, reading)
    Self.tellEnd(of: id, to: writing)
  }

  deinit { close(end) }

  /// Closes a descriptor when the program has ended; whoever asks for its status still finds it.
  private static func tellEnd(of id: pid_t, to descriptor: Int32) {
    Thread.detachNewThread {
      var info = siginfo_t()
      while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      close(descriptor)
    }
  }

  /// Waits for its end.
  ///
  /// - Returns: The exit status, or 128 and the signal's number.
  func wait() -> Int32 { wait(atMost: nil) ?? 1 }

  /// Waits for its end, but not longer than that.
  ///
  /// - Parameters:
  ///   - limit: How long.
  ///   - other: A descriptor; the wait is over as soon as it is readable.
  /// - Returns: The exit status, or 128 and the signal's number; nil if it still runs.
  func wait(atMost limit: Duration?, orReadable other: Int32 = -1) -> Int32? {
    Readiness.wait(for: [end, other], atMost: limit)
    return ended()
  }

  /// Its exit status if it has ended, or 128 and the signal's number; nil while it runs.
  func ended() -> Int32? {
    var status: Int32 = 0
    let result = waitpid(id, &status, WNOHANG)
    guard result != 0 else { return nil }
    // Nobody else waits for it, so that it is gone if the system does not know it.
    return result == id ? Self.exitStatus(status) : 1
  }

  /// Asks it to end, and waits until it has.
  ///
  /// - Parameters:
  ///   - signal: The signal that asks it.
  ///   - limit: How long it may take; then it is killed.
  /// - Returns: Whether it has ended by itself.
  @discardableResult func stop(by signal: Int32 = SIGTERM, within limit: Duration = .seconds(10)) -> Bool {
    kill(id, signal)
    if wait(atMost: limit) != nil { return true }
    kill(id, SIGKILL)
    _ = wait()
    return false
  }

  private static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
  }
}
