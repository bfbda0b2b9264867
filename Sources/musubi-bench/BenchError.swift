// SPDX-License-Identifier: Apache-2.0

/// Why a benchmark could not run, in one sentence for the person at the terminal.
struct BenchError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
