// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire
import Synchronization

/// The input that has caused something in a room, and whose page it came from.
///
/// It goes along with the work that the input begins: timers, tasks, effects, requests. So a dialog that the work asks for
/// in the end is shown by that page, `context.visitor` is its visitor, and a command that the work sends is known if a kill
/// of the server has the input come again.
final class PageCause: WorkCause {
  /// The room's stream, so that another room does not take the page for one of its own.
  let epoch: String
  /// The page's number in the room.
  let page: Int
  /// Whose page it was when the input came.
  let sender: Visitor
  /// The input.
  let input: InputID
  /// How often each of the first commands was sent, by what it says.
  private let sent = Mutex((counts: [UInt64: Int](), all: 0))

  /// So many commands of one input are named: its work may go on for days.
  private static let maxNamed = 1_024

  /// A cause.
  init(epoch: String, page: Int, sender: Visitor, input: InputID) {
    self.epoch = epoch
    self.page = page
    self.sender = sender
    self.input = input
  }
  /// Names a command to a shared model: the same when the input comes again, in whatever order its work ends then.
  ///
  /// - Returns: The key; nil if the input has sent so many that it has been stored for long.
  func key(of command: Value) -> String? {
    var hash = FNV1a()
    hash.add(command)
    let count = sent.withLock { sent -> Int? in
      guard sent.all < Self.maxNamed else {
        sent.counts = [:]
        return nil
      }
      sent.all += 1
      sent.counts[hash.value, default: 0] += 1
      return sent.counts[hash.value]
    }
    guard let count else { return nil }
    return "\(input.session)/\(input.number)/~\(String(hash.value, radix: 36))/\(count)"
  }
}
