// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// What waits until the link to a loop of another node takes more.
struct StalledModels {
  /// Models with newer values than the loop has.
  var rooms: [RoomKey: ModelRoom] = [:]
  var results: [(ticket: Int, ModelResult)] = []

  /// The models of a slot are no longer here.
  mutating func forget(_ slot: Int) { rooms = rooms.filter { $0.key.slot != slot } }
}

/// Shared models whose home is another node.
///
/// ```
/// a screen's loop                       link                 the home
///   watchNamed, command, settled  ─────────────────────────►   the relay is found by its name
///                                 ◄─────────────────────────   value, result: the author's values as JSON
///                                 ◄─────────────────────────   elsewhere: the slot is not there, ask the next one
/// ```
///
/// A link that ends loses what was on its way. The screens keep the values that they have, and follow the model again when there is a link.
/// Commands of which nobody knows what came are sent again if they are recorded, since the model knows them by their names;
/// others end with an error. What waits for a link is the newest value of each relay, and commands up to `maxHeldBytes`.
extension ModelDesk {
  /// A value, a command or an answer that is longer does not go over a link.
  private static let maxSentBytes = 8 << 20

  // MARK: - Messages that go out

  /// Sends a message to a loop of another node.
  func sendOut(_ message: ModelMessage, to place: Int) {
    switch message {
    case .watch(let key, let line, let relay, let peers):
      guard let name = relay.name else {
        let reason = """
          the shared model is on another server, which finds its relays by the names of stored properties: \
          \(relay.path()) is none
          """
        return outbox.append((.unavailable(key, line: line, reason), environment.loop))
      }
      post(.watchNamed(key, line: line, relay: relay.number, name: name, peers), place)
    case .command(let order): sendOut(order, to: place)
    case .settled(let key, _):
      let home = home(of: key.slot)
      guard home == place else { return outbox.append((message, home)) }
      if post?(message, place) != true { hold(message, for: key.slot) }
    case .result(let ticket, let result):
      guard takesMore?(place) == true else {
        stalled[place, default: StalledModels()].results.append((ticket, result))
        return
      }
      post(.result(ticket: ticket, Self.bounded(result.sent)), place)
    case .watchNamed, .close, .value, .unavailable, .elsewhere: post(message, place)
    }
  }

  /// Sends what the receiver asks for again if the link ends.
  private func post(_ message: ModelMessage, _ place: Int) { _ = post?(message, place) }

  private func sendOut(_ order: ModelOrder, to place: Int) {
    // The slot may have moved since: what would be held here for its former home would stay.
    let home = home(of: order.slot)
    guard home == place else { return outbox.append((.command(order), home)) }
    guard order.command.value.heapBytes <= Self.maxSentBytes else {
      return giveUp(order.ticket, "the command has more than \(Self.maxSentBytes) bytes")
    }
    guard order.command.value.depth <= ModelOrder.maxDepth else {
      return giveUp(order.ticket, "the command has more than \(ModelOrder.maxDepth) levels")
    }
    // None comes before those that wait.
    guard held[order.slot] == nil, takesMore?(place) == true, post?(.command(order), place) == true else {
      if stalled[place] == nil { stalled[place] = StalledModels() }
      return hold(.command(order), for: order.slot)
    }
    asked[order.ticket]?.place = place
  }

  private static func bounded(_ result: ModelResult) -> ModelResult {
    let bytes =
      switch result {
      case .success(let content as SentContent): content.json.count
      case .failure(let error as SentError): (error.content?.json.count ?? 0) + error.description.utf8.count
      default: 0
      }
    guard bytes > maxSentBytes else { return result }
    return .failure(SharedModelError.failed("the answer cannot go to another server: it has \(bytes) bytes"))
  }

  // MARK: - Values

  /// Sends the newest value of a relay to a loop of another node, at once or when the link takes it.
  func send(
    _ relay: any CodableRelay, _ number: Int, of room: ModelRoom, _ follower: ModelRoom.Follower,
    to place: Int
  ) {
    guard takesMore?(place) == true else {
      _ = follower.note(.relay(relay), of: number)
      stalled[place, default: StalledModels()].rooms[room.key] = room
      return
    }
    let problem: String
    do {
      let content = try relay.sentContent()
      if content.json.count <= Self.maxSentBytes {
        return sendOut(.value(room.key, line: follower.line, relay: number, content), to: place)
      }
      problem = "it has \(content.json.count) bytes"
    } catch {
      problem = "\(error)"
    }
    let reason = "a value of the shared model cannot go to another server: \(problem)"
    sendOut(.unavailable(room.key, line: follower.line, reason), to: place)
  }

  /// Takes a value of a model for the screens here.
  func take(_ key: RoomKey, _ relay: Int, _ value: any Sendable) {
    guard let line = lines[key], let object = line.object else { return }
    guard let sent = value as? SentContent else { return object.take(relay, value) }
    do {
      try object.take(relay, sent: sent)
    } catch {
      report(
        key, "a value of the shared model, which is on another server, cannot be read: \(error)", line.peers)
    }
  }

  /// A loop of another node follows a relay of a model here.
  func watch(
    _ key: RoomKey, _ relay: Int, _ name: String, _ peers: [Peer], for user: (loop: Int, line: Int)
  ) {
    guard let home = home(key, peers, for: user) else { return }
    let follower = home.follower(user.loop, user.line)
    LoopContext.with(home.room.scheduler) {
      let end = home.room.instance.model?.follow(named: name) {
        [weak self, weak home, weak follower] source in
        guard let self, let home, let follower else { return }
        if follower.note(.relay(source), of: relay) { changed.append(home) }
      }
      guard let end else {
        let reason =
          "the shared model, which is on another server, has no relay \(name) of Codable values there"
        return outbox.append((.unavailable(key, line: user.line, reason), user.loop))
      }
      end.disposed(by: follower.bag)
    }
  }

  // MARK: - Links

  /// A link to a loop of another node has opened: screens here follow the models there.
  func opened(_ place: Int) {
    stalled[place] = StalledModels()
    watchAgain { slots.home(of: $0) == place }
    goOn(place)
  }

  /// The link takes more than before: what waited for it goes on.
  func goOn(_ place: Int) {
    guard takesMore?(place) == true, let waiting = stalled.removeValue(forKey: place) else { return }
    changed += waiting.rooms.values.sorted { $0.key.text < $1.key.text }
    for (ticket, result) in waiting.results { outbox.append((.result(ticket: ticket, result), place)) }
    for slot in held.keys.sorted() where slots.home(of: slot) == place {
      for message in takeHeld(slot) { pass(message, to: place) }
    }
  }

  /// A link to a loop of another node has ended, with what was on its way.
  func ended(_ place: Int) {
    stalled[place] = nil
    for home in homes.values.sorted(by: { $0.key.text < $1.key.text }) {
      home.followers[place] = nil
      for (command, asker) in home.askers where asker.loop == place {
        home.askers[command] = (nil, asker.ticket)
      }
      letGoIfUnused(home)
    }
    for (ticket, entry) in asked.filter({ $0.value.place == place }).sorted(by: { $0.key < $1.key }) {
      if entry.order.command.isRecorded {
        asked[ticket]?.order.isAgain = true
        sendAgain(ticket)
      } else {
        giveUp(ticket, "a link has ended, and nobody knows what came of the command")
      }
    }
  }

  /// A loop to which a command was sent has not got its slot.
  func bounced(_ ticket: Int, from loop: Int) {
    guard let order = asked[ticket]?.order else { return }
    guard slots.home(of: order.slot) == loop, slots.generation(of: order.slot) == order.generation else {
      return sendAgain(ticket)
    }
    // It will tell when it has, or somebody else will.
    asked[ticket]?.place = nil
    hold(.command(order), for: order.slot)
  }
}
