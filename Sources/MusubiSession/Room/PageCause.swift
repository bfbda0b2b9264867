// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The page whose input has caused something in a shared room, and whose page it is.
///
/// It goes along with the work that the input begins: timers, tasks, effects, requests. So a dialog that the work asks for
/// in the end is shown by that page, and `context.visitor` is its visitor.
final class PageCause: WorkCause {
  /// The room's stream, so that another room does not take the page for one of its own.
  let epoch: String
  /// The page's number in the room.
  let page: Int
  /// Whose page it was when the input came.
  let sender: Visitor

  /// A cause.
  init(epoch: String, page: Int, sender: Visitor) {
    self.epoch = epoch
    self.page = page
    self.sender = sender
  }
}
