// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiText
import MusubiWire

@testable import MusubiClient

/// A number screen with one room on a thread of its own: enough of a server to run scripts against.
///
/// It applies edits as they come, so it is right for one typist at a time. `roll` gives 57, 58, and so on.
final class FakeServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(listener, generic, size) == 0 && listen(listener, 8) == 0
          && getsockname(listener, generic, &size) == 0
      }
    }
    guard status else { throw ClientError(.network(String(cString: strerror(errno)))) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      var room = FakeRoom(listener: listener)
      while room.turn() {}
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }

  /// Lets the thread end; it closes the sockets.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }
}

private struct FakeRoom {
  private struct Peer {
    var request: [UInt8] = []
    var isOpen = false
    var reader = MessageReader(.server)
    var followsEdits = false
    var session = 0
  }

  let listener: Int32
  private var peers: [Int32: Peer] = [:]
  private var label = "0"
  private var field = "0"
  private var revision = 0
  private var sequence = 0
  private var rolls = 56
  private var log: [(plain: [UInt8], edits: [UInt8])] = []
  private var taken: [Int: Int] = [:]

  init(listener: Int32) { self.listener = listener }

  /// Waits for one event; false once the listener has gone.
  mutating func turn() -> Bool {
    var descriptors = ([listener] + peers.keys).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    poll(&descriptors, nfds_t(descriptors.count), -1)
    for ready in descriptors where ready.revents != 0 {
      guard ready.fd == listener else {
        read(ready.fd)
        continue
      }
      let peer = accept(listener, nil, nil)
      guard peer >= 0 else {
        for descriptor in peers.keys { Glibc.close(descriptor) }
        Glibc.close(listener)
        return false
      }
      peers[peer] = Peer()
    }
    return true
  }

  private mutating func read(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return end(descriptor) }
    if peers[descriptor]?.isOpen == true {
      peers[descriptor]?.reader.feed(buffer[..<count])
      readMessages(descriptor)
    } else {
      peers[descriptor]?.request += buffer[..<count]
      greet(descriptor)
    }
  }

  private mutating func end(_ descriptor: Int32) {
    peers[descriptor] = nil
    Glibc.close(descriptor)
  }

  private func send(_ bytes: [UInt8], to descriptor: Int32) {
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  private mutating func greet(_ descriptor: Int32) {
    let request = String(decoding: peers[descriptor]?.request ?? [], as: UTF8.self)
    guard request.hasSuffix("\r\n\r\n") else { return }
    guard request.hasPrefix("GET /live/number") else {
      let body = #"{"code":"unknown-screen","message":"There is no such screen."}"#
      send(
        Array("HTTP/1.1 404 Not Found\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8),
        to: descriptor)
      return end(descriptor)
    }
    let key =
      request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
    let accept = ClientHandshake.acceptValue(for: String(key))
    let head =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: \(accept)\r\nSec-WebSocket-Protocol: musubi.v1\r\n\r\n"
    send(Array(head.utf8), to: descriptor)
    peers[descriptor]?.isOpen = true
    peers[descriptor]?.followsEdits = request.contains("edits=1")
    guard !request.contains("resume=1") else { return }
    peers[descriptor]?.session = Int(descriptor) + 1000 * sequence
    let session = String(peers[descriptor]?.session ?? 0)
    let greeting = [UInt8](writing: {
      $0.hello(.init(session: session, token: "t", schema: "s", heartbeat: 20))
      writeSnapshot(to: &$0)
    })
    send(greeting, to: descriptor)
  }

  private func writeSnapshot(to buffer: inout ByteBuffer) {
    buffer.snapshot(epoch: "E", sequence: sequence, revisions: [("number", revision)]) {
      $0.member("label", .string(label))
      $0.member("number", .string(label))
      $0.member("number.field", .string(field))
    }
  }

  private mutating func readMessages(_ descriptor: Int32) {
    do {
      while let message = try peers[descriptor]?.reader.next() {
        guard case .text(let json) = message else { return end(descriptor) }
        try receive(ClientFrame(json: json), from: descriptor)
      }
    } catch {
      let refusal = [UInt8](writing: {
        $0.error(.unknownInput, "This frame is of no known kind.")
        $0.appendFrame(.close, WebSocketFrame.closePayload(.protocolMismatch))
      })
      send(refusal, to: descriptor)
      end(descriptor)
    }
  }

  private mutating func receive(_ frame: ClientFrame, from descriptor: Int32) throws {
    var buffer = ByteBuffer()
    switch frame {
    case .ping(let number): buffer.pong(number)
    case .caret: break
    case .resume(let resume):
      let session = Int(resume.session) ?? 0
      peers[descriptor]?.session = session
      let missed = resume.epoch == "E" ? max(0, log.count - resume.sequence) : nil
      buffer.resumed(
        .init(session: resume.session, token: "t", acknowledged: taken[session] ?? 0, turns: missed))
      let editing = peers[descriptor]?.followsEdits == true
      if resume.epoch == "E" {
        for turn in log[min(resume.sequence, log.count)...] {
          buffer.append(contentsOf: editing ? turn.edits : turn.plain)
        }
      } else {
        writeSnapshot(to: &buffer)
      }
    case .handOver, .endHandOver: break
    case .input(let input): return try receive(input, from: descriptor)
    }
    send([UInt8](buffer), to: descriptor)
  }

  private mutating func receive(_ input: ClientFrame.Input, from descriptor: Int32) throws {
    var answer = ByteBuffer()
    let session = peers[descriptor]?.session ?? 0
    var steps: [TextEdit] = []
    var newText = field
    let isNew = input.number > taken[session] ?? 0
    switch (input.name, input.payload) {
    case _ where !isNew: break
    case ("roll", .none):
      rolls += 1
      newText = String(rolls)
    case ("number", .value(.string(let text))): newText = text
    case ("number", .edit(let edit, _)):
      steps = [edit]
      try edit.apply(to: &newText)
    default: answer.error(.unknownInput, "The screen has no input '\(input.name)'.", input: input.number)
    }
    if steps.isEmpty, newText != field { steps = [TextEdit.diff(from: field, to: newText)] }
    if isNew { taken[session] = input.number }
    revision += steps.count
    let isEdit = if case .edit = input.payload { true } else { false }
    answer.acknowledge(input.number, revision: isEdit && isNew ? revision : nil)
    send([UInt8](answer), to: descriptor)
    if !steps.isEmpty { publish(newText, steps) }
  }

  private mutating func publish(_ newText: String, _ steps: [TextEdit]) {
    sequence += 1
    field = newText
    if !newText.isEmpty { label = newText }
    var turn = TurnPieces()
    for name in ["label", "number"] {
      turn.replace(TurnPieces.beginningOfReplace(name), with: .string(label))
    }
    for step in steps { turn.add(step, to: 0) }
    var editing = ByteBuffer()
    turn.write(to: &editing, sequence: sequence, screen: 0) { [revision] _, buffer in
      buffer.append(contentsOf: TurnPieces.beginningOfEdits("number"))
      buffer.appendJSON(revision)
    }
    var fields = ByteBuffer()
    fields.appendJSON(.replace(path: ["number.field"], value: .string(field)))
    fields.append(UInt8(ascii: ","))
    var plain = ByteBuffer()
    turn.write(to: &plain, sequence: sequence, screen: 0, texts: fields)
    let frames = (plain: [UInt8](plain), edits: [UInt8](editing))
    log.append(frames)
    for (descriptor, peer) in peers where peer.isOpen {
      send(peer.followsEdits ? frames.edits : frames.plain, to: descriptor)
    }
  }
}
