// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where a program tells what keeps it from its work.
package enum StandardError {
  /// Writes a line at once.
  ///
  /// An error that `main` throws would print a dump of the registers behind its sentence.
  package static func write(_ line: String) {
    var line = line + "\n"
    // Nobody is left to be told when the reader has gone.
    _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
