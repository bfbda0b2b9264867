// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import MusubiWire
import Synchronization

/// Reads the public folder anew when a file in it changes, and has the open pages reload themselves.
///
/// For authors only: it looks at every file several times a second.
final class PageReloader: Sendable {
  private let hubs = Mutex<[(loop: EventLoop, hub: LoopBound<Hub>)]>([])

  /// Includes the pages of a hub; called on its loop's thread.
  func add(_ hub: Hub, on loop: EventLoop) {
    let bound = LoopBound(hub, on: loop)
    hubs.withLock { $0.append((loop, bound)) }
  }

  /// Watches the files until the task is cancelled.
  ///
  /// - Parameters:
  ///   - server: Shows the files.
  ///   - files: The files that it shows first.
  ///   - logger: Is told about files that cannot be read; the old ones stay.
  func watch(_ server: Server, _ files: StaticFiles, logger: Logger) async {
    var shown = files
    while !Task.isCancelled {
      do {
        try await Task.sleep(for: .milliseconds(300))
        guard let changed = try shown.reloaded() else { continue }
        shown = changed
        server.replaceFiles(by: changed)
        logger.log(.info, "pages changed")
        for (loop, hub) in hubs.withLock({ $0 }) { loop.enqueue { hub.value.reloadPages() } }
      } catch is CancellationError {
        return
      } catch {
        logger.log(.warning, "pages could not be read", ["problem": "\(error)"])
      }
    }
  }
}
