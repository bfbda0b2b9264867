// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiWire

/// A batch on its way to a loop of another node.
///
/// ```
/// handled bytes
/// shared frames    each once, however many connections get them
/// items            a byte that names the kind, then its fields in their order
/// ```
///
/// Times are ages, since each machine has a clock of its own. A slot's state stays in its process.
extension LoopBatch {
  /// The kinds of items.
  private enum Kind: UInt8 {
    case opened = 1
    case message, closed, fetched, buffered, own, shared, close, reading, moved, adopted, signedOut, follow,
      presence, model, left, seat, unseat, turns, lags, returned
  }

  /// The batch as bytes.
  ///
  /// - Parameter now: The time, on the sender's clock.
  /// - Returns: The bytes.
  package func encoded(at now: Duration) -> [UInt8] {
    var writer = LinkWriter()
    writer.append(handledBytes)
    var places: [ObjectIdentifier: Int] = [:]
    var frames: [SharedFrames] = []
    for item in items {
      guard let shared = item.sharedFrames, places[ObjectIdentifier(shared)] == nil else { continue }
      places[ObjectIdentifier(shared)] = frames.count
      frames.append(shared)
    }
    writer.append(all: frames) { $0.append($1.bytes) }
    writer.append(all: items) { write($1, places, at: now, to: &$0) }
    return writer.bytes
  }

  private func write(
    _ item: Item, _ places: [ObjectIdentifier: Int], at now: Duration, to writer: inout LinkWriter
  ) {
    let (kind, number) = head(of: item, places)
    writer.append(kind.rawValue)
    writer.append(number)
    switch item {
    case .opened(_, let request, let refusal):
      request.write(at: now, to: &writer)
      writer.append(refusal) { $1.write(to: &$0) }
    case .message(_, let range, let isText):
      writer.append(bytes[range])
      writer.append(isText)
    case .own(_, let range): writer.append(bytes[range])
    case .fetched(_, let bytes), .buffered(_, let bytes): writer.append(bytes)
    case .closed(_, let flag), .reading(_, let flag), .lags(_, let flag): writer.append(flag)
    case .close(_, let end):
      writer.append(Int(end.code.rawValue))
      writer.append(end.reason)
    case .moved(_, let refusal): refusal.write(to: &writer)
    case .adopted(_, let move), .left(_, let move): move.write(to: &writer)
    case .follow(let key, _): key.write(to: &writer)
    case .presence(let key, let presence):
      key.write(to: &writer)
      writer.append(all: presence.people) { $1.write(to: &$0) }
    case .shared(_, let numbers): writer.append(all: numbers) { $0.append($1) }
    case .seat(_, let audience), .unseat(_, let audience), .turns(_, let audience): writer.append(audience)
    case .model(let message): message.write(to: &writer)
    case .signedOut, .returned, .adopt: break
    }
  }

  /// What an item begins with: its kind, and the connection or another number that says what it is about.
  private func head(of item: Item, _ places: [ObjectIdentifier: Int]) -> (Kind, Int) {
    func place(of frames: SharedFrames) -> Int { places[ObjectIdentifier(frames)] ?? 0 }
    return switch item {
    case .opened(let number, _, _): (.opened, number)
    case .message(let number, _, _): (.message, number)
    case .closed(let number, _): (.closed, number)
    case .fetched(let number, _): (.fetched, number)
    case .buffered(let number, _): (.buffered, number)
    case .own(let number, _): (.own, number)
    case .shared(let frames, _): (.shared, place(of: frames))
    case .close(let number, _): (.close, number)
    case .reading(let number, _): (.reading, number)
    case .moved(let number, _): (.moved, number)
    case .adopted(let slot, _): (.adopted, slot)
    case .left(let slot, _): (.left, slot)
    case .signedOut: (.signedOut, 0)
    case .follow(_, let isFollowed): (.follow, isFollowed ? 1 : 0)
    case .presence(_, let presence): (.presence, presence.count)
    case .model(let message): (.model, message.kind)
    case .seat(let number, _): (.seat, number)
    case .unseat(let number, _): (.unseat, number)
    case .turns(let frames, _): (.turns, place(of: frames))
    case .lags(let number, _): (.lags, number)
    case .returned(let number): (.returned, number)
    case .adopt: preconditionFailure("This stays in its process.")
    }
  }

  /// The batch of some bytes.
  ///
  /// - Parameters:
  ///   - encoded: The bytes.
  ///   - place: The loop that they come from.
  ///   - now: The time, on the receiver's clock.
  /// - Throws: `LinkError` if these are not the bytes of a batch.
  package init(
    encoded: UnsafeRawBufferPointer, from place: Int, at now: Duration
  ) throws(LinkError) {
    self.init(from: place)
    var reader = LinkReader(encoded)
    handledBytes = try reader.number(below: Self.maxBytes)
    let frames = try reader.all { reader throws(LinkError) in
      SharedFrames(
        bytes: Array(try reader.data()), encoding: TurnEncoding(followsEdits: false, screen: 0), start: 0,
        end: 0)
    }
    for _ in 0..<(try reader.count()) { items.append(try item(from: &reader, frames, at: now)) }
    guard reader.left == 0 else { throw LinkError("\(reader.left) bytes are left over") }
  }

  /// No batch tells of more bytes of a connection, or of a link.
  private static let maxBytes = 1 << 40

  private mutating func item(
    from reader: inout LinkReader, _ frames: [SharedFrames], at now: Duration
  ) throws(LinkError) -> Item {
    let byte = try reader.byte()
    guard let kind = Kind(rawValue: byte) else { throw LinkError("there is no item \(byte)") }
    let number = try reader.number()
    switch kind {
    case .opened:
      let request = try ConnectionRequest(from: &reader, at: now)
      return .opened(number, request, refusal: try reader.optional(ResumeRefusal.init))
    case .message:
      let range = add(try reader.data())
      return .message(number, range, isText: try reader.flag())
    case .own: return .own(number, add(try reader.data()))
    case .closed: return .closed(number, saidFarewell: try reader.flag())
    case .fetched: return .fetched(number, bytes: try reader.number(below: Self.maxBytes))
    case .buffered: return .buffered(number, bytes: try reader.number(below: Self.maxBytes))
    case .close: return .close(number, try ConnectionEnd(from: &reader))
    case .reading: return .reading(number, try reader.flag())
    case .moved: return .moved(number, try ResumeRefusal(from: &reader))
    case .shared:
      guard number < frames.count else { throw LinkError("there are no frames \(number)") }
      return .shared(frames[number], try reader.all { reader throws(LinkError) in try reader.number() })
    case .seat: return .seat(number, audience: try reader.number())
    case .unseat: return .unseat(number, audience: try reader.number())
    case .turns:
      guard number < frames.count else { throw LinkError("there are no frames \(number)") }
      return .turns(frames[number], audience: try reader.number())
    case .lags: return .lags(number, try reader.flag())
    case .returned: return .returned(number)
    case .adopted, .left:
      guard number < RecordLabel.slots else { throw LinkError("there is no slot \(number)") }
      let move = try SlotMove(from: &reader)
      return kind == .left ? .left(slot: number, move) : .adopted(slot: number, move)
    case .signedOut: return .signedOut
    case .follow: return .follow(try RoomKey(from: &reader), number == 1)
    case .presence:
      let key = try RoomKey(from: &reader)
      return .presence(key, Presence(try reader.all(Presence.Person.init), count: number))
    case .model: return .model(try ModelMessage(number, from: &reader, sender))
    }
  }

  private mutating func add(_ data: UnsafeRawBufferPointer) -> Range<Int> {
    bytes.append(contentsOf: data)
    return (bytes.count - data.count)..<bytes.count
  }
}

extension LoopBatch.Item {
  /// Frames that others may get as well.
  fileprivate var sharedFrames: SharedFrames? {
    switch self {
    case .shared(let frames, _), .turns(let frames, _): frames
    default: nil
    }
  }
}

extension ConnectionEnd {
  fileprivate init(from reader: inout LinkReader) throws(LinkError) {
    let code = CloseCode(rawValue: UInt16(try reader.number(below: 1 << 16)))
    self.init(code, try reader.text())
    guard reason.utf8.count <= 123 else { throw LinkError("a reason has \(reason.utf8.count) bytes") }
  }
}

extension SlotMove {
  func write(to writer: inout LinkWriter) {
    writer.append(Int(generation))
    writer.append(Int(lostSince))
  }

  init(from reader: inout LinkReader) throws(LinkError) {
    generation = UInt32(try reader.number(below: 1 << 32))
    lostSince = UInt32(try reader.number(below: 1 << 32))
  }
}

extension ResumeRefusal {
  fileprivate func write(to writer: inout LinkWriter) {
    writer.append(code.rawValue)
    writer.append(message)
    writer.append(isBroken)
    writer.append(taken)
  }

  fileprivate init(from reader: inout LinkReader) throws(LinkError) {
    let name = try reader.text()
    guard let code = ErrorCode(rawValue: name) else { throw LinkError("there is no error \(name)") }
    self.init(
      code: code, message: try reader.text(), isBroken: try reader.flag(), taken: try reader.number())
  }
}

extension ConnectionRequest {
  fileprivate func write(at now: Duration, to writer: inout LinkWriter) {
    writer.append(screen)
    writer.append(fields: query)
    writer.append(room) { $0.append($1) }
    writer.append(path)
    writer.append(fields: headers)
    writer.append(remoteAddress)
    writer.append(peers: addresses)
    writer.append(visitor) { $1.write(to: &$0) }
    writer.append(now - askedAt)
    writer.append(signOuts)
  }

  fileprivate init(from reader: inout LinkReader, at now: Duration) throws(LinkError) {
    self.init(screen: try reader.text())
    query = try reader.fields()
    room = try reader.optional { reader throws(LinkError) in try reader.text() }
    path = try reader.text()
    headers = try reader.fields()
    remoteAddress = try reader.text()
    addresses = try reader.peers()
    visitor = try reader.optional(Visitor.init)
    askedAt = now - (try reader.duration())
    signOuts = try reader.number()
  }
}

extension Visitor {
  func write(to writer: inout LinkWriter) {
    writer.append(self != .anonymous)
    guard self != .anonymous else { return }
    writer.append(id) { $0.append($1) }
    writer.append(displayName) { $0.append($1) }
    writer.append(all: roles) { $0.append($1.rawValue) }
    writer.append(all: locales) { $0.append($1) }
    writer.append(timeZone) { $0.append($1.identifier) }
    writer.append(validFor) { $0.append($1) }
    writer.append(logIn) { $0.append($1) }
    writer.append(claims) { $0.append($1.description) }
  }

  init(from reader: inout LinkReader) throws(LinkError) {
    self = .anonymous
    guard try reader.flag() else { return }
    func text(_ reader: inout LinkReader) throws(LinkError) -> String { try reader.text() }
    self.init(
      id: try reader.optional(text), displayName: try reader.optional(text),
      roles: Set(try reader.all(text).map { Role(rawValue: $0) }), locales: try reader.all(text),
      timeZone: try reader.optional(text).flatMap { TimeZone(identifier: $0) },
      validFor: try reader.optional { reader throws(LinkError) in try reader.duration() },
      logIn: try reader.optional(text))
    guard let json = try reader.optional(text) else { return }
    do throws(WireError) {
      claims = try Value(json: json)
    } catch {
      throw LinkError("claims cannot be read: \(error)")
    }
  }
}

extension RoomKey {
  func write(to writer: inout LinkWriter) {
    writer.append(screen)
    writer.append(name)
  }

  /// A shared room.
  init(from reader: inout LinkReader) throws(LinkError) {
    self.init(screen: try reader.text(), name: try reader.text(), isPrivate: false)
  }
}

extension Presence.Person {
  fileprivate func write(to writer: inout LinkWriter) {
    writer.append(id)
    visitor.write(to: &writer)
    writer.append(since)
    writer.append(isIdle)
    writer.append(typing) { $0.append($1) }
  }

  fileprivate init(from reader: inout LinkReader) throws(LinkError) {
    self.init(
      id: try reader.text(), visitor: try Visitor(from: &reader), since: try reader.date(),
      isIdle: try reader.flag(),
      typing: try reader.optional { reader throws(LinkError) in try reader.text() })
  }
}

extension LinkWriter {
  /// Writes a time of the calendar, which is the same on all machines.
  fileprivate mutating func append(_ date: Date) {
    let bits = date.timeIntervalSinceReferenceDate.bitPattern
    append(Int(bits >> 32))
    append(Int(bits & 0xffff_ffff))
  }

  mutating func append(peers: [Peer]) { append(all: peers) { $0.append($1.text) } }

  fileprivate mutating func append(fields: [String: String]) {
    append(all: fields) { writer, field in
      writer.append(field.key)
      writer.append(field.value)
    }
  }
}

extension LinkReader {
  fileprivate mutating func date() throws(LinkError) -> Date {
    let high = UInt64(try number(below: 1 << 32))
    let bits = high << 32 | UInt64(try number(below: 1 << 32))
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits))
  }

  mutating func peers() throws(LinkError) -> [Peer] {
    try all { reader throws(LinkError) in
      guard let peer = Peer(try reader.text()) else { throw LinkError("an address is of no known kind") }
      return peer
    }
  }

  fileprivate mutating func fields() throws(LinkError) -> [String: String] {
    var fields: [String: String] = [:]
    for _ in 0..<(try count()) {
      let name = try text()
      fields[name] = try text()
    }
    return fields
  }
}
