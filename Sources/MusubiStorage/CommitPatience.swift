// SPDX-License-Identifier: Apache-2.0

/// How long an owner waits for the answer to a commit, before it gives the connection up and sends the same
/// statement again.
///
/// A commit is one statement, whatever has changed since the one before: after an hour without the database
/// it has every room as a whole. It cannot be divided, because rooms and the numbers of the inputs that have
/// changed them are stored together. So a large one gets more time, and any gets twice as much after an
/// attempt that came to no end.
struct CommitPatience: Equatable {
  /// The slowest server that one attempt suits, in bytes a second.
  private static let leastRate = 1 << 20
  /// So often the time is doubled.
  private static let mostDoublings = 5

  private let first: Duration
  private var doublings = 0

  /// The patience with one commit.
  ///
  /// - Parameters:
  ///   - answerTimeout: How long to wait for a commit of hardly any bytes.
  ///   - bytes: About how many bytes it has.
  init(answerTimeout: Duration, bytes: Int) {
    first = answerTimeout + .seconds(Double(bytes) / Double(Self.leastRate))
  }

  /// How long to wait for the answer to the next attempt.
  var limit: Duration { first * (1 << doublings) }

  /// An attempt was not answered within the limit.
  mutating func wasTooShort() { doublings = min(doublings + 1, Self.mostDoublings) }
}
