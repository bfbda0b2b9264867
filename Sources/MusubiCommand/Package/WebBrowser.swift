// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The browser of whoever sits at this machine.
enum WebBrowser {
  private static let opener = "xdg-open"

  /// Whether there is a display, and the program that opens addresses on it.
  ///
  /// - Parameter environment: The process's environment.
  /// - Returns: Whether `open` has a chance.
  static func isThere(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
    guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }) else {
      return false
    }
    return (environment["PATH"] ?? "").split(separator: ":").contains {
      FileManager.default.isExecutableFile(atPath: "\($0)/\(opener)")
    }
  }

  /// Shows a page, and does not wait for it.
  ///
  /// - Parameters:
  ///   - address: The page's address.
  ///   - folder: The folder in which the browser's program works.
  /// - Throws: `ToolError` if the system starts nothing.
  static func open(_ address: String, in folder: String) throws {
    // The shell ends at once; what it has started goes on, whether it succeeds or not.
    let command = "\(opener) \"$1\" >/dev/null 2>&1 </dev/null &"
    _ = try ChildProcess(["sh", "-c", command, "sh", address], in: folder).wait()
  }
}
