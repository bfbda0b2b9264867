// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc

/// A process that serves while somebody writes, and what it leaves when it ends by itself.
struct DevServer {
  let process: ChildProcess
  let begin = ContinuousClock.now
  private let errors: PrintedOutput
  /// Where Swift's runtime writes what a trap was doing.
  private let report: String

  /// Starts it.
  ///
  /// - Parameters:
  ///   - words: The program and its arguments.
  ///   - folder: The folder in which it works.
  ///   - sockets: The sockets that it listens on, with their names.
  ///   - report: A file for the report of a crash.
  /// - Throws: What keeps it from starting.
  init(
    _ words: [String], in folder: String, sockets: [(name: String, descriptor: Int32)], report: String
  ) throws {
    self.report = report
    try? FileManager.default.removeItem(atPath: report)
    let settings =
      "enable=yes,color=no,interactive=no,images=none,registers=none,threads=crashed,output-to=\(report)"
    let hasOwn = ProcessInfo.processInfo.environment["SWIFT_BACKTRACE"] != nil
    errors = try PrintedOutput(passedTo: STDERR_FILENO)
    process = try errors.of {
      try ChildProcess(
        (hasOwn ? [] : ["env", "SWIFT_BACKTRACE=\(settings)"]) + words, in: folder, errors: $0,
        sockets: sockets)
    }
  }

  /// Why it has ended, as its pages show it.
  ///
  /// - Parameters:
  ///   - status: Its exit status.
  ///   - folder: The package's folder.
  /// - Returns: A crash with its place, or what it has said last.
  func problem(status: Int32, in folder: String) -> Problem {
    guard status > 128 else { return Problem(end: errors.text()) }
    let report = FileManager.default.contents(atPath: report).map { String(decoding: $0, as: UTF8.self) }
    return Problem(crash: status - 128, printed: errors.text(), report: report ?? "", in: folder)
  }
}
