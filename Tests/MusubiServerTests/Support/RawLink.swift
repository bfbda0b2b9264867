// SPDX-License-Identifier: Apache-2.0
@testable import MusubiServer

/// The end of a link that connects, step by step, by a test.
struct RawLink {
  let client: ClientSocket
  var hello: LinkHello

  /// Connects, and says nothing yet.
  ///
  /// - Parameters:
  ///   - number: The incarnation that it claims.
  ///   - node: Whom it means.
  /// - Throws: If nobody listens.
  init(_ number: Int64, to node: LinkNode) throws {
    client = try ClientSocket(port: node.links.port)
    hello = LinkHello(
      from: number, to: node.number, fromLoop: 0, toLoop: 0, loops: 1, nonce: Cryptography.randomBytes(16),
      build: "by hand")
  }

  /// Sends the hello, and takes the answer.
  func greet() throws -> (answer: LinkHello?, hellos: [UInt8]) {
    try client.send(hello.encoded)
    let head = try client.read(LinkHello.headBytes)
    let rest = try client.read((LinkHello.byteCount(head: head) ?? head.count) - head.count)
    return (LinkHello(encoded: head + rest), hello.encoded + head + rest)
  }

  /// Sends the proof for hellos, and takes the other end's.
  func prove(_ hellos: [UInt8], secret: [UInt8] = LinkNode.secret) throws -> Bool {
    try client.send(LinkHello.proof(connects: true, hellos: hellos, secret: secret))
    return try client.read(LinkHello.proofBytes)
      == LinkHello.proof(connects: false, hellos: hellos, secret: secret)
  }

  /// Becomes a link.
  func open() throws -> Bool { try prove(try greet().hellos) }

  func sendFrame(_ bytes: [UInt8]) throws {
    var frame: [UInt8] = []
    frame.appendLittleEndian(bytes.count, 4)
    try client.send(frame + bytes)
  }

  func readFrame() throws -> [UInt8] { try client.read(Int(try client.read(4).littleEndian(0, 4))) }
}
