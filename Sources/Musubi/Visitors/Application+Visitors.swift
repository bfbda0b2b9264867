// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession

extension Application {
  /// Asks an application's hook on behalf of a server, for pages and for plain requests.
  ///
  /// - Parameters:
  ///   - hook: The hook.
  ///   - logger: Is told why it has failed.
  ///   - ledger: Counts refusals.
  /// - Returns: Who asks, for all loops.
  func identifier(
    asking hook: @escaping VisitorIdentifier.Hook, _ logger: Logger, _ ledger: PeerLedger
  ) -> VisitorIdentifier {
    var limits = VisitorIdentifier.Limits()
    limits.patience = configuration.identifyTimeout
    return VisitorIdentifier(hook, limits: limits) { request, peers, message in
      let log = NoticeLog(
        logger: logger, logsTraffic: false, refusals: ledger.refusals, clock: { MonotonicTime.now })
      log.observer(
        .authorizationFailed(screen: request.screen ?? request.path, peer: peers.first, message: message))
    }
  }
}
