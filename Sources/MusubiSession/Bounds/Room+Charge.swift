// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiText
import MusubiWire

/// A room counts its own bytes: again whenever its turns since the last time weigh an eighth of them, so that counting
/// costs a small part of what writing the turns has cost; and when nobody shows it any more.
extension Room {
  /// The bytes of a room's own objects, beside those of its screen.
  private static let ownBytes = 512
  /// The bytes of a task and of what it waits for, about.
  private static let taskBytes = 1_024
  /// Less is not worth counting before the room is left: a page that types would pay for it.
  private static let leastGrowth = 16_384

  /// A turn of so many bytes has changed the room; of none, if no page has seen the room yet.
  func noteGrowth(_ turnBytes: Int) {
    let bytes = turnBytes > 0 ? turnBytes : texts.reduce(0) { $0 + $1.text.utf8.count }
    // A value may shrink by a turn that says little, so each turn counts a little of what is there.
    unmeasured += 64 + bytes + charge.bytes >> 12
    if unmeasured >= enoughGrowth { measure() }
  }

  /// Something has happened while nobody shows the room: how much waits for somebody who does is known only when it is
  /// counted, so that is done each 32 times.
  func noteRest() {
    unmeasured += enoughGrowth / 32 + 1
    if unmeasured >= enoughGrowth { measure() }
  }

  /// The bytes after which it is counted again.
  private var enoughGrowth: Int { max(Self.leastGrowth, charge.bytes / 8) }

  /// Counts the bytes of the room, and has those pay who have made them.
  func measure() {
    unmeasured = 0
    let typedBytes = key.isPrivate ? 0 : shareTyped()
    charge.set(resources.screenBytes[key.screen] + Self.ownBytes + heapBytes - typedBytes)
  }

  /// The bytes of heap that its past, its texts and its values take.
  private var heapBytes: Int {
    let shown = instance.board.heapBytes
    var bytes = log.heapBytes + shown + stateBytes(shown) + (rows?.heapBytes ?? 0)
    bytes += instance.board.waitingBytes + (keeping?.heapBytes ?? 0) + (instance.model?.heldBytes ?? 0)
    bytes += scheduler.taskCount * Self.taskBytes + (presence?.heapBytes ?? 0)
    bytes += instance.board.events.reduce(0) { $0 + 64 + ($1.value?.heapBytes ?? 0) }
    bytes += texts.reduce(HeapSize.array(texts)) { $0 + $1.heapBytes }
    bytes += keptEvents.reduce(0) { $0 + 64 + ($1.value?.heapBytes ?? 0) }
    bytes += recentTurns.reduce(0) { $0 + 64 + $1.bytes.count }
    // Those in audiences have seen all steps: hardly any of them keeps some.
    let looked = crowd?.singles ?? members
    for member in looked {
      bytes += member.bridges.reduce(HeapSize.array(member.bridges)) { $0 + $1.heapBytes }
    }
    return bytes + (members.count - looked.count) * HeapSize.array(members.first?.bridges ?? [])
  }

  /// The bytes of the ViewModel's own values: its stored state, or what it shows if that is more.
  private func stateBytes(_ shown: Int) -> Int {
    guard let state = instance.state else { return shown }
    let isOutermost = begin(.output)
    defer { if isOutermost { resources.running?.end() } }
    do {
      return max(shown, try state.value().heapBytes)
    } catch {
      // The commit tells what is wrong with it.
      return shown
    }
  }

  // MARK: - Texts of several

  /// A member has typed so many bytes, and pays for them if the room is somebody else's.
  func noteTyped(_ bytes: Int, by number: Int) {
    guard !key.isPrivate, bytes > 0, let owner = member(number)?.session.charge.owner,
      !owner.isSame(as: charge.owner)
    else { return }
    let typed = self.typed ?? TypedBytes()
    self.typed = typed
    typed.add(bytes, of: owner)
  }

  /// Has everybody pay for what they have typed into a shared room.
  ///
  /// - Returns: How many bytes others pay for than the room's owner.
  private func shareTyped() -> Int {
    var whole = 0
    for index in texts.indices {
      whole += texts[index].text.utf8.count
      texts[index].takeTyped { noteTyped($1, by: $0) }
    }
    return typed?.limit(to: whole) ?? 0
  }
}

/// The bytes that others than its owner have typed into the texts of a room.
final class TypedBytes {
  private var shares: [Share] = []

  private final class Share {
    var charge: Charge

    init(_ owner: Owner) { charge = Charge(owner) }
  }

  /// Somebody has typed so many bytes.
  func add(_ bytes: Int, of owner: Owner) {
    let share = shares.first { $0.charge.owner.isSame(as: owner) } ?? Share(owner)
    if share.charge.bytes == 0 { shares.append(share) }
    share.charge.set(share.charge.bytes + bytes)
  }

  /// Texts have become shorter: everybody pays for the same part of what is left.
  ///
  /// - Returns: The bytes of all.
  func limit(to whole: Int) -> Int {
    let sum = shares.reduce(0) { $0 + $1.charge.bytes }
    guard sum > whole else { return sum }
    for share in shares { share.charge.set(share.charge.bytes * whole / sum) }
    shares.removeAll { $0.charge.bytes == 0 }
    return shares.reduce(0) { $0 + $1.charge.bytes }
  }
}

extension OutputBoard {
  /// The bytes of heap that the shown values take.
  var heapBytes: Int { slots.reduce(0) { $0 + $1.heapBytes } }
}
