// SPDX-License-Identifier: Apache-2.0

/// One piece of work that waits for its turn, with the type of its result erased.
struct DatabaseWork: Sendable {
  /// The access that a work needs.
  enum Access: Sendable {
    /// A consistent view, but no lock.
    case read
    /// The write lock.
    case write
  }

  /// Tells the submitter the outcome; made where the work ran, called after the commit.
  typealias Delivery = () -> Void

  let access: Access
  /// Runs the work and returns how to tell its success, should the commit succeed as well.
  let attempt: @Sendable (SQLiteConnection) throws -> Delivery
  /// Tells that it failed.
  let fail: @Sendable (any Error) -> Void

  init<Output>(
    _ access: Access, _ body: @escaping @Sendable (SQLiteConnection) throws -> Output,
    completion: @escaping @Sendable (Result<Output, any Error>) -> Void
  ) {
    self.access = access
    attempt = { connection in
      let output = try body(connection)
      return { completion(.success(output)) }
    }
    fail = { completion(.failure($0)) }
  }
}
