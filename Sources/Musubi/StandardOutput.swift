// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The output that a program that started the server reads.
package enum StandardOutput {
  /// Writes text at once, also into a pipe.
  package static func write(_ text: String) {
    var text = text
    // Nobody is left to be told when the reader has gone.
    _ = text.withUTF8 { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
  }
}
