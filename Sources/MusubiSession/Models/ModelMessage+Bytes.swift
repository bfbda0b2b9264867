// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiWire

/// A message about a shared model on its way to a loop of another node.
///
/// The sender's own numbers (`loop`) are not in it: the receiver knows the link that it comes from.
extension ModelMessage {
  /// Names the kind of message.
  var kind: Int {
    switch self {
    case .watchNamed: 1
    case .command: 2
    case .settled: 3
    case .close: 4
    case .value: 5
    case .result: 6
    case .unavailable: 7
    case .elsewhere: 8
    case .watch: preconditionFailure("A relay goes over a link by its name.")
    }
  }

  /// About how many bytes of the author's values it has.
  var sentBytes: Int {
    switch self {
    case .value(_, _, _, let value): (value as? SentContent)?.json.count ?? 0
    case .command(let order): order.command.value.heapBytes
    case .result(_, let result): ((try? result.get()) as? SentContent)?.json.count ?? 0
    case .watch, .watchNamed, .settled, .close, .unavailable, .elsewhere: 0
    }
  }

  /// Writes all but the kind.
  func write(to writer: inout LinkWriter) {
    switch self {
    case .watchNamed(let key, let line, let relay, let name, let peers):
      key.write(to: &writer)
      writer.append(line)
      writer.append(relay)
      writer.append(name)
      writer.append(peers: peers)
    case .command(let order): order.write(to: &writer)
    case .settled(let key, let command):
      key.write(to: &writer)
      writer.append(command)
    case .close(let key, let line):
      key.write(to: &writer)
      writer.append(line)
    case .value(let key, let line, let relay, let value):
      guard let content = value as? SentContent else { preconditionFailure("A value goes as JSON.") }
      key.write(to: &writer)
      writer.append(line)
      writer.append(relay)
      writer.append(content.json)
    case .result(let ticket, let result):
      writer.append(ticket)
      result.write(to: &writer)
    case .unavailable(let key, let line, let reason):
      key.write(to: &writer)
      writer.append(line)
      writer.append(reason) { $0.append($1) }
    case .elsewhere(let ticket): writer.append(ticket)
    case .watch: preconditionFailure("A relay goes over a link by its name.")
    }
  }

  /// Reads a message.
  ///
  /// - Parameters:
  ///   - kind: Names the kind.
  ///   - reader: Has the rest.
  ///   - place: The loop that it comes from.
  /// - Throws: `LinkError` if these are not the bytes of such a message.
  init(_ kind: Int, from reader: inout LinkReader, _ place: Int) throws(LinkError) {
    switch kind {
    case 1:
      self = .watchNamed(
        try RoomKey(from: &reader), line: try reader.number(), relay: try reader.number(),
        name: try reader.text(), try reader.peers())
    case 2: self = .command(try ModelOrder(from: &reader, place))
    case 3: self = .settled(try RoomKey(from: &reader), command: try reader.text())
    case 4: self = .close(try RoomKey(from: &reader), line: try reader.number())
    case 5:
      self = .value(
        try RoomKey(from: &reader), line: try reader.number(), relay: try reader.number(),
        SentContent(json: Array(try reader.data())))
    case 6: self = .result(ticket: try reader.number(), try ModelResult(from: &reader))
    case 7:
      self = .unavailable(
        try RoomKey(from: &reader), line: try reader.number(),
        try reader.optional { reader throws(LinkError) in try reader.text() })
    case 8: self = .elsewhere(ticket: try reader.number())
    default: throw LinkError("there is no message \(kind) about a model")
    }
  }
}

extension ModelOrder {
  /// So many levels of arrays and objects a command has at most that goes to another server: a value of a page, which has 64, and
  /// what is around it.
  static let maxDepth = 128

  fileprivate func write(to writer: inout LinkWriter) {
    model.write(to: &writer)
    writer.append(command.key)
    command.sender.write(to: &writer)
    writer.append(command.value.description)
    writer.append(command.isRecorded)
    writer.append(line) { $0.append($1) }
    writer.append(ticket)
    writer.append(input) {
      $0.append($1.session)
      $0.append($1.number)
    }
    writer.append(origin) { $1.write(to: &$0) }
    writer.append(peers: peers)
    writer.append(Int(generation))
    writer.append(isAgain)
  }

  fileprivate init(from reader: inout LinkReader, _ place: Int) throws(LinkError) {
    model = try RoomKey(from: &reader)
    slot = model.slot
    loop = place
    let (key, sender) = (try reader.text(), try Visitor(from: &reader))
    let json = Array(try reader.data())
    let value: Value
    do throws(WireError) {
      value = try Value(json: json, maximumDepth: Self.maxDepth)
    } catch {
      throw LinkError("a command cannot be read: \(error)")
    }
    command = ModelCommand(key: key, sender: sender, value: value, isRecorded: try reader.flag())
    line = try reader.optional { reader throws(LinkError) in try reader.number() }
    ticket = try reader.number()
    input = try reader.optional { reader throws(LinkError) in
      InputID(session: try reader.text(), number: try reader.number())
    }
    origin = try reader.optional(SlotMove.init)
    peers = try reader.peers()
    generation = UInt32(try reader.number(below: 1 << 32))
    isAgain = try reader.flag()
  }
}

extension ModelResult {
  fileprivate func write(to writer: inout LinkWriter) {
    switch self {
    case .success(let content as SentContent):
      writer.append(1)
      writer.append(content.json)
    case .success: writer.append(0)
    case .failure(SharedModelError.unavailable(let reason)):
      writer.append(2)
      writer.append(reason)
    case .failure(SharedModelError.busy): writer.append(3)
    case .failure(let error as SentError):
      writer.append(5)
      writer.append(error.description)
      writer.append(error.content) { $0.append($1.json) }
    case .failure(let error):
      writer.append(4)
      writer.append("\(error)")
    }
  }

  fileprivate init(from reader: inout LinkReader) throws(LinkError) {
    let kind = try reader.number()
    switch kind {
    case 0: self = .success(())
    case 1: self = .success(SentContent(json: Array(try reader.data())))
    case 2: self = .failure(SharedModelError.unavailable(try reader.text()))
    case 3: self = .failure(SharedModelError.busy)
    case 4: self = .failure(SharedModelError.failed(try reader.text()))
    case 5:
      let description = try reader.text()
      let content = try reader.optional { reader throws(LinkError) in
        SentContent(json: Array(try reader.data()))
      }
      self = .failure(SentError(content, description: description))
    default: throw LinkError("there is no answer \(kind)")
    }
  }
}
