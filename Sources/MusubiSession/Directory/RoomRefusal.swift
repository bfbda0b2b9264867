// SPDX-License-Identifier: Apache-2.0
import MusubiWire

/// Why a page gets no room.
enum RoomRefusal: Error {
  /// The event loop has so many already.
  case full(maxRooms: Int)
  /// All together, or a peer, take as much memory as they may.
  case memory
  /// The store has no space for a record more.
  case storeFull
  /// A peer has too many.
  case peer(PeerRefusal)
  /// The session has too many screens.
  case screens(Int)
  /// The visitor may not open the screen, or enter the room.
  case notAllowed

  var code: ErrorCode {
    switch self {
    case .full, .memory, .storeFull: .full
    case .peer: .tooMany
    case .screens: .tooManyScreens
    case .notAllowed: .notAllowed
    }
  }

  /// A name for counters and logs.
  var reason: String {
    switch self {
    case .full: "full"
    case .memory: "memory"
    case .storeFull: "store-full"
    case .peer(let refusal): refusal.reason
    case .screens: "too-many-screens"
    case .notAllowed: "not-allowed"
    }
  }

  var message: String {
    switch self {
    case .full(let limit):
      "The server has no space for one more room: each event loop has at most \(limit), by maxRooms."
    case .memory: "There is no memory for one more screen; close some pages, or come back later."
    case .storeFull: "The server has no space for one more session on its disk."
    case .peer(let refusal): refusal.message
    case .screens(let limit):
      "At most \(limit) screens are open at a time; go back from one first."
    case .notAllowed: "You may not open this page."
    }
  }
}
