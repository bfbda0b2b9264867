// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// Measures pieces of code that take nanoseconds.
///
/// It counts CPU time, not wall-clock time, so that other programs disturb little.
struct Stopwatch {
  /// The measurement of one piece of code.
  struct Reading: Encodable {
    let nanoseconds: Double
    let spread: Double
  }

  let batchSeconds: Double
  let repeats: Int

  init(_ options: Options) {
    batchSeconds = options.isQuick ? 0.01 : 0.05
    repeats = options.repeatCount
  }

  /// Runs a piece of code often enough to measure it.
  ///
  /// - Parameter body: Does it `count` times.
  /// - Returns: The time of one, the median of several batches after a first that warms up.
  /// - Throws: What `body` throws.
  func read<Failure: Error>(_ body: (_ count: Int) throws(Failure) -> Void) throws(Failure) -> Reading {
    var count = 1
    var seconds = try time(count, body)
    while seconds < batchSeconds {
      count = max(count * 2, Int(Double(count) * min(batchSeconds * 1.1 / max(seconds, 1e-6), 100)))
      seconds = try time(count, body)
    }
    var results: [Double] = []
    for _ in 0..<repeats { results.append(try time(count, body) / Double(count) * 1e9) }
    let middle = median(results)
    return Reading(nanoseconds: middle, spread: ((results.max() ?? 0) - (results.min() ?? 0)) / middle)
  }

  /// Time on the monotonic clock.
  static func seconds() -> Double { Double(musubi_now_ns()) / 1e9 }

  private func time<Failure: Error>(
    _ count: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) -> Double {
    let start = musubi_process_cpu_ns(getpid())
    try body(count)
    return Double(musubi_process_cpu_ns(getpid()) - start) / 1e9
  }
}

/// Uses a value, so that the optimizer cannot drop what made it.
@inline(never)
func keep<Value>(_ value: borrowing Value) {}
