// SPDX-License-Identifier: Apache-2.0
import MusubiTesting
import MusubiWire

/// Keeps account of what pages hand over after a kill, and says who may have to give something up.
///
/// After a kill nothing may get lost that a page knew that is back within two seconds. There are three exceptions:
/// somebody is new there, and may type before anybody has come back; pages stand in different streams, because the server
/// was killed again before all of them had come back; and the ViewModel has made a text too long for a hand-over.
final class HandOverLog {
  private static let window: Duration = .seconds(2)
  private let limit: Int
  /// The bytes of the text that each page has handed over since the last kill.
  private var bytes: [String: Int] = [:]
  /// When the first page came back since the last kill.
  private var begin: Duration?
  private var hasNewcomers = false
  /// The streams in which pages stood that have handed over since the last kill.
  private var streams: Set<String> = []
  /// When pages have handed over since the last kill, by their names.
  private var times: [String: Duration] = [:]
  /// Whether the server was ever killed.
  private(set) var hasRestarts = false

  /// A server that was not killed yet.
  ///
  /// - Parameter limit: The most bytes of a text.
  init(limit: Int) { self.limit = limit }

  /// The server is killed.
  func restart() {
    (begin, hasNewcomers, streams, times, bytes, hasRestarts) = (nil, false, [], [:], [:], true)
  }

  /// A page without a session connects.
  func noteNewcomer() { hasNewcomers = true }

  /// A frame has reached the server.
  func note(_ payload: [UInt8], of page: String, at time: Duration) throws {
    switch try ClientFrame(json: payload) {
    case .resume: begin = begin ?? time
    case .endHandOver(let position, let lineage):
      times[page] = times[page] ?? time
      if let place = (lineage + [position]).last(where: { $0.sequence > 0 }) { streams.insert(place.epoch) }
    case .handOver(_, let value): bytes[page, default: 0] += value.stringValue?.utf8.count ?? 0
    case .input, .caret, .ping: break
    }
  }

  /// Whether a page may be told to give up its text.
  func mayGiveUp(_ page: String) -> Bool {
    guard let begin, let time = times[page] else { return false }
    return hasNewcomers || streams.count > 1 || time >= begin + Self.window || bytes[page, default: 0] > limit
  }
}
