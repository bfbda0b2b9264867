// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiStorage

/// What operators should know.
extension ClusterNode {
  /// Tells that there is no standby that PostgreSQL waits for.
  func tellStandby(_ directory: PostgresDirectory) {
    attempt("standby") {
      guard try !directory.waitsForStandby() else { return }
      logger.log(
        .warning, "no standby",
        [
          "consequence": "PostgreSQL keeps on one disk what the servers acknowledge",
          "hint": "synchronous_standby_names, unless that disk is replicated",
        ])
    }
  }

  /// Tells who has taken this node out because it uses a folder of the same name: nobody else can be in its own.
  func tellSuccessor(_ directory: PostgresDirectory) {
    attempt("successor") {
      guard let address = try directory.successor() else { return }
      logger.log(
        .error, "same data folder",
        [
          "address": address,
          "consequence": "of two servers with the same folder the one that started first ends",
          "hint": "a copied --data has the same name: remove the file node in it, and start the server again",
        ])
    }
  }

  /// Tells once that slots go to nodes of a newer build alone.
  func tellAge(_ state: inout State) {
    state.olderReadings = state.ownership.isOlder ? state.olderReadings + 1 : 0
    // For a moment that is so at a roll-back, too, until a newer one has said that it ends.
    guard state.olderReadings == 20 else { return }
    logger.log(
      .warning, "older build",
      [
        "build": entry.build, "consequence": "slots go to servers of a newer build alone",
        "hint": "servers of one build have its file with one time",
      ])
  }
}
