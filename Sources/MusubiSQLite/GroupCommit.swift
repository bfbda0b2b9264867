// SPDX-License-Identifier: Apache-2.0

/// Runs several works in one transaction, so that they share the price of one commit.
///
/// ```
/// BEGIN IMMEDIATE
///   SAVEPOINT; work 1; RELEASE
///   SAVEPOINT; work 2 throws; ROLLBACK TO     its own changes only
///   SAVEPOINT; work 3; RELEASE
/// COMMIT                                      now 1 and 3 are told their success, 2 its error
/// ```
/// Some errors, above all a full disk, end the whole transaction. Then each work gets a transaction of its own,
/// so that the one that asks for too much does not take its neighbours with it.
struct GroupCommit {
  let connection: SQLiteConnection
  /// How many transactions were committed.
  private(set) var commits = 0

  init(connection: SQLiteConnection) { self.connection = connection }

  /// Runs the works.
  ///
  /// - Parameter works: At least one; all of them write.
  /// - Returns: For each work, in order, how to tell its outcome. Successes are on the disk.
  mutating func run(_ works: [DatabaseWork]) -> [DatabaseWork.Delivery] {
    do {
      try connection.begin()
    } catch {
      // The lock or the file is not to be had. One wait for it is enough for all.
      return works.map { work in { work.fail(error) } }
    }
    do {
      return try commit(works)
    } catch {
      connection.rollBack()
      guard works.count > 1 else { return works.map { work in { work.fail(error) } } }
      return works.flatMap { run([$0]) }
    }
  }

  /// Runs the works in the open transaction and commits.
  ///
  /// - Throws: The error that ended the transaction for all of them.
  private mutating func commit(_ works: [DatabaseWork]) throws -> [DatabaseWork.Delivery] {
    var deliveries: [DatabaseWork.Delivery] = []
    deliveries.reserveCapacity(works.count)
    for work in works {
      do {
        // One that is alone shares its transaction with nobody.
        guard works.count > 1 else {
          deliveries.append(try work.attempt(connection))
          break
        }
        deliveries.append(try connection.savepoint { try work.attempt(connection) })
      } catch {
        guard works.count > 1, connection.isInTransaction else { throw error }
        deliveries.append { work.fail(error) }
      }
    }
    try connection.commit()
    commits += 1
    return deliveries
  }
}
