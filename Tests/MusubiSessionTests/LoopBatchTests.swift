// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiWire
import Testing

@testable import MusubiSession

@Suite struct `A batch for a loop of another node` {
  @Test func `is the same after its way, with times on the receiver's clock`() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = Draw(seed)
    var kinds: Set<String> = []
    for round in 0..<400 {
      let batch = random.batch()
      let bytes = batch.encoded(at: .seconds(5_000))

      let other = try bytes.withUnsafeBytes {
        try LoopBatch(encoded: $0, from: Place.remote(peer: 3, loop: 1), at: .seconds(70))
      }
      #expect(other.sender == 257 && other.handledBytes == batch.handledBytes, "seed \(seed), round \(round)")
      let shift = Duration.seconds(70 - 5_000)
      #expect(other.told() == batch.told(later: shift), "seed \(seed), round \(round)")
      kinds.formUnion(batch.told().compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    #expect(kinds.count == 28, "\(kinds)")
  }

  @Test func `has frames for many connections once`() throws {
    let frames = SharedFrames(
      bytes: Array(repeating: 7, count: 10_000), encoding: TurnEncoding(followsEdits: true, screen: 0),
      start: 4, end: 5)
    var batch = LoopBatch(from: 0)
    var last = -1
    for number in 1...2_000 {
      // A frame of its own before them, as those have who have written.
      if number % 50 == 0 {
        batch.items.append(.own(number, 0..<0))
        last = batch.items.count - 1
      }
      _ = batch.add(number, to: frames, after: last)
    }

    let bytes = batch.encoded(at: .zero)
    #expect(bytes.count < 10_000 + 2_000 * 4)
    let other = try bytes.withUnsafeBytes { try LoopBatch(encoded: $0, from: 64, at: .zero) }
    var (shared, numbers): ([SharedFrames], [Int]) = ([], [])
    for case .shared(let frames, let readers) in other.items {
      shared.append(frames)
      numbers += readers
    }
    #expect(shared.count == 41)
    #expect(shared.allSatisfy { $0 === shared[0] }, "They are kept once there, too.")
    #expect(numbers == Array(1...2_000))
  }

  @Test func `that is cut, longer, or has other bytes is refused or is another one`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = Draw(seed)
    var refused = 0
    for round in 0..<200 {
      let bytes = random.batch().encoded(at: .zero)
      for length in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 20)) {
        #expect(throws: LinkError.self, "seed \(seed), round \(round), \(length) of \(bytes.count)") {
          try read(Array(bytes[..<length]))
        }
      }
      #expect(throws: LinkError.self, "seed \(seed), round \(round)") { try read(bytes + [0]) }
      for _ in 0..<50 {
        var other = bytes
        for _ in 0...random.below(3) { other[random.below(other.count)] = UInt8(random.below(256)) }
        do {
          _ = try read(other)
        } catch {
          refused += 1
        }
      }
    }
    #expect(refused > 500, "seed \(seed): mistakes were found \(refused) times.")
  }

  @Test func `that is garbage is refused`() {
    let seed = UInt64.random(in: 0 ... .max)
    var random = Draw(seed)
    for _ in 0..<20_000 {
      let bytes = (0..<random.below(80)).map { _ in UInt8(random.below(256)) }
      do {
        let batch = try read(bytes)
        #expect(batch.items.count <= bytes.count && batch.bytes.count <= bytes.count, "seed \(seed)")
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }

  @Test(
    arguments: [
      // 2^62 items, a message of 2^62 bytes, shared frames that are not there, a slot that is not there.
      [0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f],
      [0, 0, 1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f],
      [0, 0, 1, 7, 0, 0], [0, 0, 1, 11, 0x80, 0x20, 1, 1],
      // A number of ten bytes, a flag that is none, a kind that is none.
      [0, 0, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0],
      [0, 0, 1, 3, 1, 2], [0, 0, 1, 21, 1, 0],
      // A message about a model that is none, an answer that is none, a command that is no JSON.
      [0, 0, 1, 15, 9, 0], [0, 0, 1, 15, 6, 1, 5],
      [0, 0, 1, 15, 2, 0, 0, 0, 0, 1, 120, 0, 0, 0, 0, 0, 0, 0, 0],
    ] as [[UInt8]])
  func `is refused if a length, a number or a kind is wrong`(_ bytes: [UInt8]) {
    #expect(throws: LinkError.self) { try read(bytes) }
  }

  private func read(_ bytes: [UInt8]) throws(LinkError) -> LoopBatch {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    return try LoopBatch(encoded: UnsafeRawBufferPointer(copy), from: 64, at: .zero)
  }
}

@Suite struct `Places` {
  @Test func `of loops of other nodes are apart from those of this process`() {
    var places: Set<Int> = []
    for peer in [0, 1, 499] {
      for loop in [0, 1, 63] {
        let place = Place.remote(peer: peer, loop: loop)
        #expect(Place.isRemote(place) && Int16(exactly: place) != nil)
        #expect(Place.parts(of: place) == (peer, loop))
        places.insert(place)
      }
    }
    #expect(places.count == 9)
    #expect(!(0..<64).contains(where: Place.isRemote))
  }
}

extension LoopBatch {
  /// What it says, item by item.
  fileprivate func told(later shift: Duration = .zero) -> [String] {
    items.map { item in
      switch item {
      case .opened(let number, var request, let refusal):
        request.askedAt += shift
        return "opened \(number) \(request.told) \(refusal.map { "\($0)" } ?? "")"
      case .message(let number, let range, let isText): return "message \(number) \(bytes[range]) \(isText)"
      case .own(let number, let range): return "own \(number) \(bytes[range])"
      case .shared(let frames, let numbers): return "shared \(frames.bytes) \(numbers)"
      case .turns(let frames, let audience): return "turns \(frames.bytes) \(audience)"
      case .presence(let key, let presence): return "presence \(key.text) \(presence.told)"
      case .model(let message): return message.told
      default: return "\(item)".split(separator: "(").joined(separator: " ")
      }
    }
  }
}

extension ModelMessage {
  fileprivate var told: String {
    guard case .command(let order) = self else {
      return "model-" + "\(self)".split(separator: "(").joined(separator: " ")
    }
    return """
      command \(order.model) \(order.slot) \(order.command.key) \(order.command.sender.told) \
      \(order.command.value) \(order.command.isRecorded) \(order.line ?? -1) \(order.ticket) \
      \(order.input.map { "\($0)" } ?? "-") \(order.origin.map { "\($0)" } ?? "-") \(order.peers) \
      \(order.generation) \(order.isAgain)
      """
  }
}

extension Visitor {
  fileprivate var told: String {
    """
    \(id ?? "-") \(displayName ?? "-") \(roles.map(\.rawValue).sorted()) \(locales) \
    \(timeZone?.identifier ?? "-") \(validFor ?? .zero) \(logIn ?? "-") \
    \(claims?.description ?? "-")
    """
  }
}

extension Presence {
  fileprivate var told: String {
    let people = people.map {
      "\($0.id) \($0.visitor.told) \($0.since.timeIntervalSinceReferenceDate) \($0.isIdle) \($0.typing ?? "-")"
    }
    return "\(count) \(people)"
  }
}

extension ConnectionRequest {
  fileprivate var told: String {
    let visitor = visitor?.told
    return """
      \(screen) \(query.sorted { $0.key < $1.key }) \(room ?? "-") \(path) \(headers.sorted { $0.key < $1.key }) \
      \(remoteAddress) \(addresses) \(visitor ?? "nobody") \(askedAt) \(signOuts)
      """
  }
}

/// Batches by chance.
private struct Draw {
  private var random: SplitMix64

  init(_ seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  mutating func flag() -> Bool { below(2) == 0 }

  mutating func text() -> String {
    (0..<below(9)).map { _ in ["a", "é", "結", "😀", "\r\n"][below(5)] }.joined()
  }

  mutating func maybe<Element>(_ make: (inout Draw) -> Element) -> Element? { flag() ? nil : make(&self) }

  mutating func batch() -> LoopBatch {
    var batch = LoopBatch(from: below(3))
    batch.handledBytes = below(1 << 20)
    let frames = (0...below(3)).map { _ in
      SharedFrames(
        bytes: bytes(), encoding: TurnEncoding(followsEdits: flag(), screen: below(3)), start: 1, end: 2)
    }
    for _ in 0..<below(12) { batch.items.append(item(&batch, frames)) }
    return batch
  }

  private mutating func bytes() -> [UInt8] { (0..<below(300)).map { _ in UInt8(below(256)) } }

  private mutating func item(_ batch: inout LoopBatch, _ frames: [SharedFrames]) -> LoopBatch.Item {
    let number = below(3) == 0 ? below(1 << 40) : below(300)
    switch below(20) {
    case 0: return .opened(number, request(), refusal: maybe { $0.refusal() })
    case 1: return .message(number, range(&batch), isText: flag())
    case 2: return .closed(number, saidFarewell: flag())
    case 3: return .fetched(number, bytes: below(1 << 30))
    case 4: return .buffered(number, bytes: below(1 << 30))
    case 5: return .own(number, range(&batch))
    case 6: return .shared(frames[below(frames.count)], (0...below(40)).map { _ in below(1 << 20) })
    case 7:
      return .close(number, ConnectionEnd(CloseCode(rawValue: UInt16(below(1 << 16))), text()))
    case 8: return .reading(number, flag())
    case 9: return .moved(number, refusal())
    case 10: return .signedOut
    case 11: return .follow(key(), flag())
    case 12: return .presence(key(), Presence((0..<below(4)).map { _ in person() }, count: below(1 << 40)))
    case 13:
      return flag() ? .adopted(slot: below(4_096), move()) : .left(slot: below(4_096), move())
    case 14: return .seat(number, audience: below(300))
    case 15: return .unseat(number, audience: below(300))
    case 16: return .turns(frames[below(frames.count)], audience: below(1 << 40))
    case 17: return .lags(number, flag())
    case 18: return .returned(number)
    default: return .model(message())
    }
  }

  private mutating func move() -> SlotMove {
    SlotMove(generation: UInt32(below(1 << 32)), lostSince: UInt32(below(1 << 32)))
  }

  private mutating func message() -> ModelMessage {
    let (key, line) = (RoomKey(screen: text(), name: text(), isPrivate: false), below(1 << 40))
    switch below(8) {
    case 0: return .watchNamed(key, line: line, relay: below(9), name: text(), peers())
    case 1: return .settled(key, command: text())
    case 2: return .close(key, line: line)
    case 3: return .value(key, line: line, relay: below(9), SentContent(json: bytes()))
    case 4: return .result(ticket: line, result())
    case 5: return .unavailable(key, line: line, maybe { $0.text() })
    case 6: return .elsewhere(ticket: line)
    default:
      // As deep as one may be that was made of a page's value.
      let nested = (0..<below(ModelOrder.maxDepth - 2)).reduce(Value.null) { value, _ in [value] }
      let command = ModelCommand(
        key: text(), sender: visitor(), value: ["add": .string(text()), "of": [1, 2.5, .null, nested]],
        isRecorded: flag())
      return .command(
        ModelOrder(
          model: key, slot: key.slot, command: command, loop: 257, line: maybe { $0.below(1 << 40) },
          ticket: line, input: maybe { InputID(session: $0.text(), number: $0.below(1 << 40)) },
          origin: maybe { $0.move() }, peers: peers(), generation: UInt32(below(1 << 32)), isAgain: flag()))
    }
  }

  private mutating func result() -> ModelResult {
    switch below(6) {
    case 0: .success(())
    case 1: .success(SentContent(json: bytes()))
    case 2: .failure(SharedModelError.unavailable(text()))
    case 3: .failure(SharedModelError.busy)
    case 4: .failure(SentError(maybe { SentContent(json: $0.bytes()) }, description: text()))
    default: .failure(SharedModelError.failed(text()))
    }
  }

  private mutating func peers() -> [Peer] { flag() ? [] : [.address(text()), .identity(text())] }

  private mutating func range(_ batch: inout LoopBatch) -> Range<Int> {
    let start = batch.bytes.count
    batch.bytes += bytes()
    return start..<batch.bytes.count
  }

  private mutating func refusal() -> ResumeRefusal {
    ResumeRefusal(
      code: ErrorCode.allCases[below(ErrorCode.allCases.count)], message: text(), isBroken: flag(),
      taken: below(1 << 40))
  }

  private mutating func fields() -> [String: String] {
    Dictionary((0..<below(5)).map { _ in (text(), text()) }) { $1 }
  }

  private mutating func request() -> ConnectionRequest {
    var request = ConnectionRequest(
      screen: text(), query: fields(), headers: fields(), remoteAddress: text())
    request.room = maybe { $0.text() }
    request.path = text()
    request.addresses = [.address(text()), .network(text()), .identity(text())]
    request.visitor = maybe { $0.visitor() }
    request.askedAt = .seconds(5_000) - .nanoseconds(below(1 << 50))
    request.signOuts = below(1 << 40)
    return request
  }

  private mutating func key() -> RoomKey { RoomKey(screen: text(), name: text(), isPrivate: false) }

  private mutating func person() -> Presence.Person {
    Presence.Person(
      id: text(), visitor: visitor(), since: flag() ? .distantPast : Date(timeIntervalSince1970: 1 / 3),
      isIdle: flag(), typing: maybe { $0.text() })
  }

  private mutating func visitor() -> Visitor {
    guard below(4) > 0 else { return .anonymous }
    var visitor = Visitor(
      id: maybe { $0.text() }, displayName: maybe { $0.text() }, roles: [Role(rawValue: text()), "b"],
      locales: [text()], timeZone: maybe { _ in TimeZone(identifier: "Asia/Tokyo") }.flatMap { $0 },
      validFor: maybe { .nanoseconds($0.below(1 << 60)) }, logIn: maybe { $0.text() })
    visitor.claims = maybe { ["team": .string($0.text()), "of": [1, 2.5, .null, true]] }
    return visitor
  }
}
