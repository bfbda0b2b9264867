// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// The news of a page for its visitor alone, in frames of its own, because turns are the same for all.
///
/// It is no queue: a page that does not read is told the newest when it does.
final class OwnNews {
  /// The inputs that the page may not send; nil before that is known.
  private(set) var forbidden: [String]?
  /// The values that the page shows for its visitor alone; nil before that is known.
  private(set) var personal: Value?
  /// Those of them that the connection was told last; nil if it was told none, or takes no patch of them.
  private var told: Value?
  /// Whether the page takes what has changed of them in the place of all of them.
  var takesPatches = false
  /// The controls to which the page may send files; nil before that is known.
  private(set) var openFiles: [String]?
  /// The same as uploads know it, whether or not the page is connected.
  var sending: [String]?
  /// The rows that the page looks at, by the names of long lists.
  var windows: [String: RowWindow] = [:]
  private var files: Value?
  /// After which turns they are told; nil if they have been.
  private var forbiddenPlace: Int?
  private var personalPlace: Int?
  private var filesPlace: Int?

  /// The bytes of heap that the values take.
  var heapBytes: Int {
    let waiting = personalPlace == nil ? 0 : told?.heapBytes ?? 0
    return waiting + (personal?.heapBytes ?? 0)
  }

  /// Whether the page has not been told all.
  var waits: Bool { forbiddenPlace != nil || personalPlace != nil || filesPlace != nil }

  /// The page's first frame says which inputs it may not send.
  func greet(forbidden: [String]) {
    self.forbidden = forbidden
    forbiddenPlace = nil
  }

  /// The page may not send other inputs than before.
  func tell(forbidden: [String], after sequence: Int) {
    self.forbidden = forbidden
    forbiddenPlace = forbiddenPlace ?? sequence
  }

  /// The page shows something else for its visitor alone.
  func tell(personal: Value, after sequence: Int) {
    self.personal = personal
    // Where a value waits already: else one that changes with each turn would never be told.
    personalPlace = personalPlace ?? sequence
  }

  /// The page may send files to other controls than before.
  ///
  /// - Parameters:
  ///   - files: Where, and which, by the controls' names.
  ///   - names: The controls.
  ///   - sequence: After which turn it is told.
  func tell(files: Value, of names: [String], after sequence: Int) {
    self.files = files
    openFiles = names
    filesPlace = filesPlace ?? sequence
  }

  /// Hands out what waits, if the page has had the turns before it.
  func write(through sequence: Int, screen: Int, into sink: inout some FrameSink & ~Copyable) {
    if let place = forbiddenPlace, place <= sequence, let forbidden {
      sink.write { $0.forbidden(forbidden, screen: screen) }
      forbiddenPlace = nil
    }
    if let place = personalPlace, place <= sequence, let personal {
      sink.write { $0.personal(personal, after: told, screen: screen) }
      told = takesPatches ? personal : nil
      personalPlace = nil
    }
    if let place = filesPlace, place <= sequence, let files {
      sink.write { $0.uploads(files, screen: screen) }
      filesPlace = nil
      self.files = nil
    }
  }
}
