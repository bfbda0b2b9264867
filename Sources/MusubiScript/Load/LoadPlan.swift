// SPDX-License-Identifier: Apache-2.0
package import MusubiClient

/// A load: visitors who play one script against a server, again and again.
package struct LoadPlan: Sendable {
  /// The server.
  package var server: ServerAddress
  /// The script that each visitor plays.
  package var file: String
  /// How many visitors there are at a time, 1 to 1,000.
  package var visitors = 10
  /// How long the load lasts.
  package var duration = Duration.seconds(10)
  /// How long a visitor waits between two rounds.
  package var pause = Duration.zero
  /// How long a step may take.
  package var deadline = Duration.seconds(10)

  /// The most visitors.
  package static let maxVisitors = 1_000

  /// A load of a script on a server.
  package init(server: ServerAddress, file: String) {
    self.server = server
    self.file = file
  }

  /// Whether the server is on this machine.
  package var isLocal: Bool {
    let host = server.host.lowercased()
    return host == "localhost" || host == "::1"
      || host.hasPrefix("127.") && host.allSatisfy { "0123456789.".contains($0) }
  }

  /// Puts the load on the server.
  ///
  /// - Returns: What it measured.
  /// - Throws: `ScriptError` if the script cannot be read, or has steps that only a server of its own allows.
  package func run() throws(ScriptError) -> LoadResult {
    let script = try ScriptFile.parse(file)
    if let step = script.steps.first(where: \.needsOwnServer) {
      throw ScriptError(
        step.location, "'\(step.source)' needs a server of its own; a load leaves the server as it is.")
    }
    return LoadRun(script, self).run()
  }
}
