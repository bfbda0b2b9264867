// SPDX-License-Identifier: Apache-2.0

/// The place where a loop notes the event that it is about to run; the next process finds it there if that
/// has ended this one.
///
/// Only with a store: without one nothing comes back that could end the next process, too. Used on its loop.
package protocol EventRecord: AnyObject {
  /// Notes what begins; called before each event, so it allocates nothing and asks the system for nothing.
  ///
  /// - Parameters:
  ///   - kind: The kind of event.
  ///   - room: The room's `RoomKey.digest`; 0 if it is not stored.
  ///   - session: The session whose input it is; empty for other events.
  ///   - number: The input's number; 0 for other events.
  ///   - record: The number of the file in which the room's events are written down; 0 if there is none.
  func begin(_ kind: EventKind, room: UInt64, session: String, number: Int, record: UInt32)

  /// The noted event has ended.
  func end()
}

/// The kinds of events that a loop runs, as far as they matter when one ends the process.
package enum EventKind: UInt8, Codable, Sendable, CaseIterable {
  case input = 1
  case edit
  case join
  case leave
  case connection
  /// A stored room is restored, or takes a page's hand-over.
  case restore
  case timer
  /// A room works out its outputs or its state.
  case output

  /// Whether a page has sent it, and would send it again.
  package var isInput: Bool { self == .input || self == .edit }
}

/// The event that a loop runs at the moment: the outermost alone, because all that happens within it is its
/// doing.
///
/// An input that presents a screen makes that screen's page join: whoever sends the input again makes it join again.
final class RunningEvent {
  private let record: any EventRecord
  private var isRunning = false

  init(_ record: any EventRecord) { self.record = record }

  /// Notes what begins.
  ///
  /// - Returns: Whether nothing ran before, so that the caller has to tell the end.
  func begin(
    _ kind: EventKind, room: UInt64, session: String = "", number: Int = 0, record file: UInt32 = 0
  ) -> Bool {
    guard !isRunning else { return false }
    isRunning = true
    record.begin(kind, room: room, session: session, number: number, record: file)
    return true
  }

  /// The outermost event has ended, if there was one.
  func end() {
    guard isRunning else { return }
    isRunning = false
    record.end()
  }
}

extension RoomEvent {
  /// Its kind in a record.
  var kind: EventKind {
    switch self {
    case .join: .join
    case .leave: .leave
    case .connection, .cover, .suspend, .resume: .connection
    case .input, .command: .input
    case .edit, .rowEdit, .beginEditing: .edit
    case .refuse(let event): event.kind
    case .handOver: .restore
    case .timer: .timer
    case .outside: .output
    }
  }
}

extension RoomKey {
  /// A number that stands for the room in a record, the same in every process.
  package var digest: UInt64 {
    var hash = FNV1a()
    hash.add(screen.utf8)
    hash.add(CollectionOfOne(0xff))
    hash.add(name.utf8)
    hash.add(CollectionOfOne(isPrivate ? 0xfe : 0xff))
    return hash.value
  }
}
