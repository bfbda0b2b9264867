// SPDX-License-Identifier: Apache-2.0
// Foundation is imported for the process's name alone.
import Foundation
import Glibc

/// What keeps a program from going on.
enum Failure {
  /// Writes the error's sentence on standard error, and ends the process with status 1.
  ///
  /// An error that `main` throws would print a dump of the registers behind its sentence.
  static func end(_ error: any Error) -> Never {
    var line = "\(ProcessInfo.processInfo.processName): \(error)\n"
    // Nobody is left to be told when the reader has gone.
    _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(1)
  }
}
