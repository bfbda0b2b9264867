// SPDX-License-Identifier: Apache-2.0
package import MusubiServer

/// Whether a node has had no link to any other for a while.
///
/// The log tells it, and that is all: the node is the only one that can serve its own rooms, so new visitors are let in.
package struct Isolation {
  /// How long a node may be without any link.
  private static let limit: Duration = .seconds(5)

  /// Since when it has had none.
  private var since: Duration?
  /// Whether that is so for too long.
  package private(set) var isTooLong = false

  package init() {}

  /// Notes what there is, and tells the log when that takes too long, and when it is over.
  ///
  /// - Parameters:
  ///   - others: How many other nodes the directory has.
  ///   - links: How many links are open.
  ///   - now: The time on the node's own clock.
  ///   - logger: Takes events.
  package mutating func note(others: Int, links: Int, at now: Duration, _ logger: Logger) {
    let known = isTooLong
    since = others > 0 && links == 0 ? since ?? now : nil
    isTooLong = since.map { now - $0 >= Self.limit } ?? false
    guard isTooLong != known else { return }
    guard isTooLong else {
      // The others may have gone as well.
      if links > 0 { logger.log(.info, "links are back") }
      return
    }
    logger.log(
      .error, "no links",
      [
        "nodes": "\(others)",
        "consequence": "each page finds rooms of its own server alone, and the others come back",
        "hint": "the servers reach the database and not each other: see --node-listen and --node-address",
      ])
  }
}
