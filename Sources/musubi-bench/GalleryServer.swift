// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryScreens
import Musubi

/// Musubi's server with the gallery's screens, in a child process of this program.
///
/// It is what `gallery serve` runs; in here its heap allocations can be counted.
enum GalleryServer {
  /// Serves until SIGTERM.
  ///
  /// - Parameter arguments: The words that `gallery serve` takes.
  /// - Returns: The exit status.
  static func serve(_ arguments: [String]) async -> Int32 {
    do {
      var configuration = try ServeCommand.configuration(from: arguments, environment: [:])
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("musubi-bench-\(ProcessInfo.processInfo.processIdentifier)")
      defer { removeData(at: folder) }
      configuration.dataFolder = folder.path
      var application = Application(configuration: configuration)
      try await Gallery.addScreens(to: &application)
      ListViewModel.addScreens(to: &application)
      try await application.serve()
      return 0
    } catch {
      print(error)
      return 1
    }
  }

  private static func removeData(at folder: URL) {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      print("the data in \(folder.path) could not be removed: \(error)")
    }
  }
}
