// SPDX-License-Identifier: Apache-2.0
import MusubiRx
import Synchronization

/// Short codes by which people find a room that has a long name, such as those that stand on a host's screen.
///
/// A ViewModel asks for its room's code, keeps it in its state, and gives it back when nobody is to come any more. A route
/// looks the room up. Codes are short, so let a `RequestThrottle` slow down who guesses:
///
/// ```swift
/// let codes = RoomCodes()
/// let attempts = RequestThrottle()
/// application.post("/quiz/join") { request in
///   if let seconds = attempts.admit(request) { throw HTTPError(429, "Please wait.", retryAfter: seconds) }
///   guard let room = codes.room(of: try request.form["code"] ?? "") else { throw HTTPError(404, "No such code.") }
///   attempts.giveBack(request)
///   return try .redirect(to: "/quiz?room=\(room)")
/// }
/// ```
///
/// They live as long as the process. May be used from any thread.
public final class RoomCodes: Sendable {
  private struct Known {
    var rooms: [String: String] = [:]
    var codes: [String: String] = [:]
  }

  private let digits: Int
  private let known = Mutex(Known())

  /// No codes.
  ///
  /// - Parameter digits: How many digits a code has, at least 6; 8 are enough for a thousand rooms at once.
  public init(digits: Int = 8) { self.digits = max(6, digits) }

  /// The code of a room, which stays the same until it is removed.
  ///
  /// - Parameters:
  ///   - room: The room's name.
  ///   - wanted: The code that it had before the program was started again; it gets it if no other room has it.
  /// - Returns: The code, which no other room has.
  public func code(of room: String, wanted: String? = nil) -> String {
    ValueRecording.value("code") { newCode(of: room, wanted: wanted) }
  }

  private func newCode(of room: String, wanted: String?) -> String {
    known.withLock { known in
      if let code = known.codes[room] { return code }
      var code = wanted
      var generator = SystemRandomNumberGenerator()
      while code.map({ known.rooms[$0] != nil }) ?? true {
        code = (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined()
      }
      known.rooms[code ?? ""] = room
      known.codes[room] = code
      return code ?? ""
    }
  }

  /// The room of a code.
  ///
  /// - Parameter code: What somebody has typed; spaces around it do not count.
  /// - Returns: The room's name; nil if no room has the code now.
  public func room(of code: String) -> String? {
    let typed = code.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
    return known.withLock { $0.rooms[String(typed)] }
  }

  /// Takes a room's code back.
  ///
  /// - Parameter room: The room's name.
  public func remove(_ room: String) {
    known.withLock { known in
      if let code = known.codes.removeValue(forKey: room) { known.rooms[code] = nil }
    }
  }
}
