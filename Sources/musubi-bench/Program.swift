// SPDX-License-Identifier: Apache-2.0
import Foundation

/// This executable, as the system sees it.
enum Program {
  /// The path of the executable, links resolved.
  static let path: String = {
    do { return try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") } catch {
      return CommandLine.arguments.first ?? "musubi-bench"
    }
  }()
}
