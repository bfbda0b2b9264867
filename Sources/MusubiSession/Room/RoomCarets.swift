// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// Where the pages of a room are in its two-way texts, for those that show it.
///
/// ```
/// page 1 ── caret [3,7] of revision 5 ──▶ Caret ──┐
/// page 2 ── caret [0,0] of revision 6 ──▶ Caret ──┴─▶ at most every 50 ms ──▶ each page that follows: all but its own
/// ```
///
/// The texts know nothing of it: a caret is carried over the steps of each turn, which they may forget later. Nothing is stored.
final class RoomCarets {
  /// One page's caret or selection.
  private struct Caret {
    let member: Int
    /// The text: an output's name, or the key of a row's text.
    let text: String
    var revision: Int
    var selection: Range<Int>
  }

  /// How many times a second a page is told, and may tell.
  static let perSecond = 20
  /// So many carets are told, of those who have moved last.
  private static let most = 32
  /// So many characters of a name are told.
  private static let longestName = 40

  /// Who has moved last comes last.
  private var carets: [Caret] = []
  /// What each page was told, by the member's number.
  private var told: [Int: Int] = [:]
  private var version = 0
  private var isPaused = false
  /// Who has moved since others were told.
  private var movers: Set<Int> = []

  /// The page shows others' carets from now on.
  func follow(_ member: Member) {
    guard told[member.number] == nil else { return }
    told[member.number] = carets.isEmpty ? version : -1
    member.session.wake()
  }

  /// A page's caret is there now, or nowhere.
  ///
  /// - Parameters:
  ///   - member: The page's number in the room.
  ///   - caret: Where it is; nil for nowhere.
  ///   - room: Has its other pages told.
  func place(_ member: Int, at caret: (text: String, revision: Int, selection: Range<Int>)?, in room: Room) {
    let count = carets.count
    carets.removeAll { $0.member == member }
    guard caret != nil || carets.count < count else { return }
    if let caret {
      carets.append(
        Caret(member: member, text: caret.text, revision: caret.revision, selection: caret.selection))
    }
    movers.insert(member)
    publish(to: room)
  }

  /// The page is gone.
  func end(_ member: Int, in room: Room) {
    told[member] = nil
    place(member, at: nil, in: room)
  }

  /// Carries those that are told over what has happened to their texts.
  func carry(in room: Room) {
    for index in carets.indices.suffix(Self.most) {
      guard let text = room.text(ofKey: carets[index].text, for: nil)?.text,
        text.revision != carets[index].revision, let steps = text.edits(after: carets[index].revision)
      else { continue }
      carets[index].selection = steps.reduce(carets[index].selection) { $1.map(selection: $0) }
      carets[index].revision = text.revision
    }
  }

  private func publish(to room: Room) {
    guard !movers.isEmpty, !isPaused else { return }
    version += 1
    for member in room.members {
      guard let last = told[member.number] else { continue }
      if movers == [member.number], last == version - 1 {
        // It knows where it is itself.
        told[member.number] = version
      } else {
        member.session.wake()
      }
    }
    (movers, isPaused) = ([], true)
    room.scheduler.tellCarets(after: .milliseconds(1_000 / Self.perSecond))
  }

  /// Enough time has passed since others were told.
  fileprivate func endPause(of room: Room) {
    isPaused = false
    publish(to: room)
  }

  /// Whether the page knows where the others are, or does not follow.
  func isTold(_ member: Member) -> Bool { told[member.number].map { $0 == version } ?? true }

  /// Hands out where the others are, if the page follows and has not been told.
  ///
  /// The page has all turns of the room: positions refer to the newest revisions.
  func write(for member: Member, into sink: inout some FrameSink & ~Copyable) {
    guard let last = told[member.number], last != version else { return }
    told[member.number] = version
    let texts = all(but: member.number, in: member.room)
    sink.write { $0.carets(texts, screen: member.screen) }
  }

  private func all(but own: Int, in room: Room) -> [ServerFrame.Carets] {
    carry(in: room)
    var texts: [ServerFrame.Carets] = []
    for caret in carets.suffix(Self.most) where caret.member != own {
      guard let (text, _) = room.text(ofKey: caret.text, for: nil), text.revision == caret.revision,
        let member = room.member(caret.member)
      else { continue }
      let name = String((member.session.visitor.displayName ?? "").prefix(Self.longestName))
      let index = texts.firstIndex { $0.text == caret.text } ?? texts.count
      if index == texts.count { texts.append(.init(text: caret.text, revision: text.revision)) }
      texts[index].all.append(.init(page: caret.member, name: name, selection: caret.selection))
    }
    return texts
  }
}

extension Room {
  /// Tells pages what has moved since they were told.
  func tellCarets() { carets?.endPause(of: self) }

  /// Takes where a page's visitor is in a text; the page is told where others are from now on.
  ///
  /// - Returns: Why the frame is none; nil if it was taken. What comes too late for its text says nothing.
  func take(_ caret: consuming ClientFrame.Caret, of member: Member) -> String? {
    let text = text(ofKey: caret.text, for: member)
    guard text != nil || caret.text.hasPrefix("/") else {
      return "The screen has no two-way text \"\(caret.text)\"."
    }
    let carets = carets ?? RoomCarets()
    self.carets = carets
    carets.follow(member)
    guard let text, let selection = caret.selection, member.isConnected, !member.isCovered else {
      carets.place(member.number, at: nil, in: self)
      return nil
    }
    guard let place = text.text.place(of: selection, base: caret.revision, bridge: text.bridge) else {
      return nil
    }
    carets.place(member.number, at: (caret.text, text.text.revision, place), in: self)
    return nil
  }

  /// A two-way text, and a member's side of it.
  fileprivate func text(ofKey key: String, for member: Member?) -> (text: SharedText, bridge: TextBridge)? {
    if let index = textIndex(key) { return (texts[index], member?.bridges[index] ?? TextBridge()) }
    guard let document = rows?.document(ofKey: key) else { return nil }
    return (document.text, member.map { document.bridge(of: $0) } ?? TextBridge())
  }
}
