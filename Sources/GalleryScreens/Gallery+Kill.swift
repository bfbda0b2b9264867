// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
public import Musubi

extension Gallery {
  /// Adds the front page's button that ends the server as a crash does.
  ///
  /// Nothing is stored first and nobody is told: what is right afterwards was stored before it was acknowledged.
  ///
  /// - Parameters:
  ///   - application: What gets the routes.
  ///   - isDemo: Whether it may be used. Something has to start the server again, as `deploy/run --demo` does.
  public static func addKill(to application: inout Application, isDemo: Bool) {
    let began = ContinuousClock.now
    application.get("/demo", isOpen: true) { _ in try .json(["canKill": isDemo]) }
    guard isDemo else { return }
    application.post("/demo/kill", isOpen: true) { _ in
      // Whoever supervises the server takes one that lives shorter for one that cannot start.
      guard began.duration(to: .now) > .seconds(3) else {
        throw HTTPError(429, "The server has only just started. サーバーは起動したばかりです。", retryAfter: 3)
      }
      kill(getpid(), SIGKILL)
      return .text("")
    }
  }
}
