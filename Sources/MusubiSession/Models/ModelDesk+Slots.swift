// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// Shared models whose slots move: the screens that use them stay, and follow them to their new homes.
///
/// ```
/// a screen's loop            the old home                the new home
///   command  ──────────────►  held, then sent on ──────►  carried out
///            ◄────────────────────────────────────  adopted
///   watch    ───────────────────────────────────►  the newest value
/// ```
extension ModelDesk {
  /// Keeps a command for a model that is not open here, or sends it on.
  ///
  /// - Returns: Whether the message is for another loop, or has to wait, or comes again.
  func isElsewhere(_ message: ModelMessage) -> Bool {
    let slot: Int
    switch message {
    case .watch(let key, _, _, _), .watchNamed(let key, _, _, _, _), .close(let key, _):
      // Whoever uses a model that has moved asks its new home.
      return !slots.isOpen(key.slot)
    case .settled(let key, _): slot = key.slot
    case .command(let order):
      slot = order.slot
      if order.generation < slots.lostSince(slot) || isFromBefore(order) { return true }
    case .value, .result, .unavailable, .elsewhere: return false
    }
    guard !slots.isOpen(slot) else { return false }
    if case .command(let order) = message, Place.isRemote(order.loop) {
      // At once: what this loop adopts later is told behind it.
      send(.elsewhere(ticket: order.ticket), to: order.loop)
    } else if let home = slots.home(of: slot), home != environment.loop {
      pass(message, to: home)
    } else {
      hold(message, for: slot)
    }
    return true
  }

  /// Keeps a message until it is known where a slot is, or the link to its home takes it.
  func hold(_ message: ModelMessage, for slot: Int) {
    if case .command(let order) = message,
      heldWeight(of: slot) + order.command.value.heapBytes > Self.maxHeldBytes
    {
      outbox.append((.result(ticket: order.ticket, .failure(SharedModelError.busy)), order.loop))
    } else {
      held[slot, default: []].append(message)
    }
  }

  /// Brings what was held to a model's home.
  func pass(_ message: ModelMessage, to home: Int) {
    guard case .command(let order) = message else { return outbox.append((message, home)) }
    if order.loop == environment.loop {
      sendAgain(order.ticket)
    } else if Place.isRemote(home) {
      // The answer comes to the loop that has asked there.
      send(.elsewhere(ticket: order.ticket), to: order.loop)
    } else {
      outbox.append((message, home))
    }
  }

  /// Whether the slot of the session from which a command comes was lost since it was sent.
  private func isFromBefore(_ order: ModelOrder) -> Bool {
    guard let origin = order.origin, let slot = order.input.flatMap({ SessionName.slot(of: $0.session) })
    else { return false }
    if origin.lostSince > origins[slot] ?? 0 { origins[slot] = origin.lostSince }
    return origin.generation < max(slots.lostSince(slot), origins[slot] ?? 0)
  }

  /// So many bytes of commands wait for a slot at most, as for a model.
  private static let maxHeldBytes = 1 << 18

  /// The bytes of the commands that wait for a slot, with what each takes beside its value.
  private func heldWeight(of slot: Int) -> Int {
    (held[slot] ?? []).reduce(0) { sum, message in
      if case .command(let order) = message { sum + 256 + order.command.value.heapBytes } else { sum + 256 }
    }
  }

  /// Whether models of a slot still carry something out, or somebody waits for what came of it.
  func isBusy(_ slot: Int) -> Bool {
    homes.values.contains {
      $0.key.slot == slot && (!$0.askers.isEmpty || $0.room.instance.model?.isBusy == true)
    }
  }

  /// Lets go of the models of a slot that goes elsewhere, or that somebody else has taken.
  func letGo(_ slot: Int) {
    for home in homes.values where home.key.slot == slot {
      homes[home.key] = nil
      home.room.instance.model?.onResult = nil
    }
    changed.removeAll { $0.key.slot == slot }
    for place in stalled.keys { stalled[place]?.forget(slot) }
  }

  /// Takes out what came for models of a slot that goes elsewhere: it goes along.
  func takeHeld(_ slot: Int) -> [ModelMessage] { held.removeValue(forKey: slot) ?? [] }

  /// Sessions were lost with inputs that were not stored: these come again, and so do their commands.
  func forget(_ sessions: [Session], of slot: Int) {
    unsettled.removeAll { command in sessions.contains { $0 === command.session } }
    asked = asked.filter { entry in
      let name = entry.value.order.input?.session ?? ""
      return SessionName.slot(of: name) != slot && !sessions.contains { $0 === entry.value.session }
    }
  }

  /// The slot has another home than before: screens here follow its models there, and what waited goes there.
  func moved(_ slot: Int) {
    for message in takeHeld(slot) { pass(message, to: home(of: slot)) }
    watchAgain { $0 == slot }
    askAgain(slot)
  }

  /// Has screens here follow the models of some slots anew.
  func watchAgain(where isMeant: (_ slot: Int) -> Bool) {
    let meant = lines.filter { isMeant($0.value.slot) }
    for (key, line) in meant.sorted(by: { $0.value.number < $1.value.number }) {
      line.number = nextLine()
      for relay in line.relays {
        outbox.append((.watch(key, line: line.number, relay, line.peers), home(of: line.slot)))
      }
    }
  }

  /// Sends commands once more of which nobody knows what came, because a home was lost; the model knows them by their names.
  private func askAgain(_ slot: Int) {
    let lost = asked.filter {
      $0.value.order.slot == slot && $0.value.order.generation < slots.lostSince(slot)
    }
    for (ticket, entry) in lost.sorted(by: { $0.key < $1.key }) {
      if entry.order.command.isRecorded {
        sendAgain(ticket)
      } else {
        giveUp(ticket, "its home was lost, and nobody knows what came of the command")
      }
    }
  }

  /// Nobody will tell what came of a command.
  func giveUp(_ ticket: Int, _ reason: String) {
    let result = ModelResult.failure(SharedModelError.unavailable(reason))
    outbox.append((.result(ticket: ticket, result), environment.loop))
  }
}
