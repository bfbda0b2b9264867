// SPDX-License-Identifier: Apache-2.0

/// Reads one stored record, as of the last commit that was answered.
package protocol RecordReader {
  /// Reads a room with its steps.
  ///
  /// - Parameter key: The room's.
  /// - Returns: The room.
  /// - Throws: `RecordError`.
  func room(_ key: RoomKey) throws(RecordError) -> StoredRoom

  /// Reads a session. The rooms that it shows may know of a later input; see `StoredRoom.taken`.
  ///
  /// - Parameter id: The session's.
  /// - Returns: The session.
  /// - Throws: `RecordError`.
  func session(_ id: String) throws(RecordError) -> StoredSession
}

/// Why a record is not read.
package enum RecordError: Error, Equatable, CustomStringConvertible {
  /// The record is damaged, or gone: it never can be read.
  case broken(String)
  /// The disk does not answer; a later attempt may succeed.
  case unreadable(String)
  /// The program has failed while it used the record, which says nothing of the record: a later attempt, or
  /// another build of the program, may succeed.
  case failed(String)
  /// The screen's factory refuses the one who asks, which says nothing of the record of a room that others share.
  case refused(FactoryRefusal)
  /// A newer build of the program has stored it, and this one cannot use it; that one can.
  case newer(String)

  package var description: String {
    switch self {
    case .broken(let reason): reason
    case .unreadable(let reason): "the store cannot be read at the moment: \(reason)"
    case .failed(let reason): "it could not be restored, and stays as it is stored: \(reason)"
    case .refused(let reason): "its factory refuses the visitor: \(reason.error)"
    case .newer(let reason): "a newer build has stored it, and this one cannot use it: \(reason)"
    }
  }
}

/// What a screen's factory has thrown because it refuses somebody.
package struct FactoryRefusal: Equatable, Sendable {
  /// `Denied` or `LogInRequired`.
  let error: any Error

  package static func == (left: FactoryRefusal, right: FactoryRefusal) -> Bool {
    "\(left.error)" == "\(right.error)"
  }
}

/// The last input that a session has taken.
package struct TakenInput: Equatable, Sendable {
  /// The session's id.
  package let session: String
  /// The input's number.
  package let number: Int

  package init(session: String, number: Int) {
    self.session = session
    self.number = number
  }
}

extension TakenInput: Codable {
  /// Reads `[session, number]`.
  package init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    session = try container.decode(String.self)
    number = try container.decode(Int.self)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(session)
    try container.encode(number)
  }
}
