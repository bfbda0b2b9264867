// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// Writes down the values that come into a room from elsewhere, or brings those of a record in their place.
///
/// Used on the room's loop only.
package protocol ValueRecorder: AnyObject {
  /// Whether values come from a record.
  var isReplaying: Bool { get }
  /// Writes down a value that the room gets now.
  func note(_ value: some Encodable, as name: String)
  /// Writes down that what comes now from elsewhere is overtaken, and changes nothing.
  func noteNothing()
  /// The value that the record has of that name in the event that runs; nil if it has none.
  func recorded(_ type: any Decodable.Type, as name: String) -> Any?
  /// Has `take` get each value of that name that came in an event of its own; only the next one if `once`.
  func expect(_ type: any Decodable.Type, as name: String, once: Bool, _ take: @escaping (Any) -> Void)
  /// A number for an object that the room shares with others: the same at each call, and in each replay.
  func number(of object: AnyObject) -> Int
  /// Counts things of a kind, from 1.
  func nextNumber(of kind: String) -> Int
  /// Today's program wants a value that the record does not have.
  func noteMissing(_ name: String)
}

/// A loop whose room may be written down.
package protocol RecordedLoop {
  /// Writes down what comes into the room; nil if nobody has asked for it.
  var valueRecorder: (any ValueRecorder)? { get }
}

/// Finds who writes down the values of the room that runs.
package enum ValueRecording {
  /// Whether any room of the process is written down: where none is, looking costs nothing else.
  private static let isOn = Atomic(false)

  /// Some room is written down from now on.
  package static func begin() { isOn.store(true, ordering: .relaxed) }

  /// Who writes down the values of the room that runs on this thread; nil if nobody does.
  package static var current: (any ValueRecorder)? {
    isOn.load(ordering: .relaxed) ? recorder(of: LoopContext.current) : nil
  }

  /// Who writes down the values of a loop's room; nil if nobody does.
  package static func recorder(of loop: (any SchedulerType)?) -> (any ValueRecorder)? {
    isOn.load(ordering: .relaxed) ? (loop as? any RecordedLoop)?.valueRecorder : nil
  }

  /// A value from elsewhere, which is written down; in a replay the one that was.
  package static func value<Value: Codable>(
    _ name: String, _ pull: () throws -> Value
  ) rethrows -> Value {
    guard let recorder = current else { return try pull() }
    if recorder.isReplaying {
      if let value = recorder.recorded(Value.self, as: name) as? Value { return value }
      recorder.noteMissing(name)
      return try pull()
    }
    let value = try pull()
    recorder.note(value, as: name)
    return value
  }

  /// The same for a value that takes a while; in a replay it comes in the event in which it came.
  package static func value<Value: Codable>(
    _ name: String, _ pull: () async throws -> Value
  ) async rethrows -> Value {
    guard let recorder = current, recorder.isReplaying else {
      let value = try await pull()
      current?.note(value, as: name)
      return value
    }
    if let value = recorder.recorded(Value.self, as: name) as? Value { return value }
    // The room is one thread's.
    let come = Carried(ArrivingValue<Value>())
    await withCheckedContinuation { continuation in
      recorder.expect(Value.self, as: name, once: true) { value in
        come.element.value = value as? Value
        continuation.resume()
      }
    }
    guard let value = come.element.value else { return try await pull() }
    return value
  }

  private final class ArrivingValue<Value> {
    var value: Value?
  }
}
