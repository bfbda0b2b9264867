// SPDX-License-Identifier: Apache-2.0
import MusubiSession

extension ServeCommand {
  /// How long things are kept and waited for.
  static var times: [Option<Configuration>] {
    [
      seconds("dead-after", "a connection that is silent for so long has gone (30)", 2...86_400) {
        $0.deadAfter = $1
      },
      seconds("identify-timeout", "how long the application may take to say who a visitor is (5)", 1...60) {
        $0.identifyTimeout = $1
      },
      seconds(
        "unused-session-lifetime",
        "how long a session that never took an input is kept without its page (15)", 0...86_400
      ) { $0.sessions.unusedSessionLifetime = $1 },
      seconds(
        "request-timeout", "how long a request's body, and then the program's answer, may take (30)",
        1...3_600
      ) { $0.requestTimeout = $1 },
      seconds("restart-spread", "when the server stops, pages come back within so long (2)", 0...3_600) {
        $0.restartSpread = $1
      },
      seconds(
        "max-restart-wait",
        "after ends that nobody asked for the server waits before it listens, at most so long (30)", 0...3_600
      ) { $0.maxRestartWait = $1 },
    ]
  }

  static func seconds(
    _ name: String, _ help: String, _ range: ClosedRange<Int>,
    _ store: @escaping @Sendable (inout Configuration, Duration) -> Void
  ) -> Option<Configuration> {
    Option(name: name, placeholder: "SECONDS", help: help) { (target, text) throws(CommandLineError) in
      guard let seconds = Int(text), range.contains(seconds) else {
        let limits = "\(range.lowerBound) to \(range.upperBound)"
        throw CommandLineError("--\(name) takes seconds, \(limits), but \"\(text.prefix(80))\" came.")
      }
      store(&target, .seconds(seconds))
    }
  }
}
