// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import MusubiWire

@testable import MusubiSession

/// A mistake that server or client could make about taking each input once: a test of the tests.
///
/// Nothing in the program knows of them: they are planted from outside, where its parts meet.
enum Mistake: String, CaseIterable, Sendable {
  /// The server acknowledges an input before its commit is safe.
  case acknowledgesBeforeTheCommit
  /// The server takes a refused commit for a successful one.
  case overlooksARefusal
  /// The server stores a session without the number of the last input that it took.
  case storesNoNumber
  /// The server stores what an input did and that it was taken in two commits.
  case partsRoomAndSession
  /// The server takes the last input again if it is sent again: `>=` instead of `>`.
  case takesTheLastAgain
  /// The server tells a page that returns one number more than it took.
  case acknowledgesTheNext
  /// The server does not tell a page that returns which of the missing edits are its own.
  case forgetsWhoseEditsTheyAre
  /// The server still takes inputs from a connection that another one has replaced.
  case hearsAReplacedConnection
  /// The end of a connection that another one has replaced ends that one, too.
  case endsWithAReplacedConnection
  /// The server forgets the former token before the page has shown that it has the new one.
  case forgetsTheFormerTokenEarly
  /// The server waits for no effect outside before it acknowledges.
  case waitsForNoEffect
  /// The page forgets inputs as soon as they are sent.
  case pageForgetsWhatItSent

  /// What finds it.
  enum Search { case cuts, cutsInResumes, stragglers, kills, refusalsAndKills }

  /// The search that is to find it.
  var search: Search {
    switch self {
    case .takesTheLastAgain, .acknowledgesTheNext, .forgetsWhoseEditsTheyAre, .pageForgetsWhatItSent: .cuts
    case .forgetsTheFormerTokenEarly: .cutsInResumes
    case .hearsAReplacedConnection, .endsWithAReplacedConnection: .stragglers
    case .acknowledgesBeforeTheCommit, .storesNoNumber, .partsRoomAndSession, .waitsForNoEffect: .kills
    case .overlooksARefusal: .refusalsAndKills
    }
  }

  func plant(in configuration: inout SessionConfiguration) {
    if self == .waitsForNoEffect { configuration.effectDeadline = .milliseconds(1) }
  }

  func plant(in store: SimulatedStore) {
    switch self {
    case .acknowledgesBeforeTheCommit: store.answersEarly = true
    case .overlooksARefusal: store.hidesRefusals = true
    case .storesNoNumber:
      store.falsify = { changes in
        var changes = changes
        for index in changes.sessions.indices { changes.sessions[index].taken = 0 }
        _ = changes.takeNumbers()
        return changes
      }
    case .partsRoomAndSession:
      var late: ([StoredSession], [TakenInput]) = ([], [])
      store.falsify = { changes in
        var changes = changes
        let numbers = changes.takeNumbers()
        if !changes.roomSteps.isEmpty {
          changes.roomSteps[0].taken = late.1
        } else if !changes.rooms.isEmpty {
          changes.rooms[0].taken = late.1
        }
        (late, changes.sessions) = ((changes.sessions, numbers), late.0)
        return changes
      }
    default: break
    }
  }

  /// What the page gets instead of a frame.
  func falsify(_ payload: [UInt8]) -> [UInt8] {
    let text = String(decoding: payload, as: UTF8.self)
    guard text.hasPrefix(#"{"resumed""#) else { return payload }
    switch self {
    case .acknowledgesTheNext:
      guard let match = text.firstMatch(of: /"ack":([0-9]+)/), let number = Int(match.1) else {
        return payload
      }
      return Array(text.replacing(#""ack":\#(number)"#, with: #""ack":\#(number + 1)"#).utf8)
    case .forgetsWhoseEditsTheyAre:
      return Array(text.replacing(/"own":\[.*?\]\]/, with: #""own":[]"#).utf8)
    default: return payload
    }
  }

  /// The treatment of the server after each step.
  func sabotage(of network: SimulatedNetwork) -> (() -> Void)? {
    switch self {
    case .takesTheLastAgain:
      network.onReceive = { payload, link in
        guard case .input(let input)? = try? ClientFrame(json: payload),
          let session = (link.handler as? Visit)?.session,
          input.number == session.taken
        else { return }
        session.taken -= 1
      }
      return nil
    case .forgetsTheFormerTokenEarly:
      return { [unowned network] in
        guard let hub = network.services.first as? SessionLoop else { return }
        for session in hub.sessions.all { _ = session.confirmToken() }
      }
    case .hearsAReplacedConnection, .endsWithAReplacedConnection:
      var owners: [Int: Session] = [:]
      return { [unowned network] in
        for link in network.openLinks {
          guard let visit = link.handler as? Visit else { continue }
          if let session = visit.session { owners[link.id] = session }
          guard self == .hearsAReplacedConnection, visit.session == nil, let owner = owners[link.id] else {
            continue
          }
          visit.session = owner
          visit.phase = .open
        }
        let open = Set(network.openLinks.map(\.id))
        for (id, session) in owners where !open.contains(id) {
          owners[id] = nil
          if self == .endsWithAReplacedConnection { session.visit?.closed(saidFarewell: false) }
        }
      }
    default: return nil
    }
  }
}

extension StoreChanges {
  /// Takes out the numbers of the inputs that rooms tell.
  fileprivate mutating func takeNumbers() -> [TakenInput] {
    var numbers: [TakenInput] = []
    for index in rooms.indices {
      numbers += rooms[index].taken ?? []
      rooms[index].taken = nil
    }
    for index in roomSteps.indices {
      numbers += roomSteps[index].taken ?? []
      roomSteps[index].taken = nil
    }
    return numbers
  }
}
