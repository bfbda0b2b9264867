// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a connection between nodes became no link.
struct LinkProblem: Equatable {
  /// A fixed word for the log.
  let reason: String
  let message: String
  var level = Logger.Level.warning

  static let garbage = Self(reason: "link-garbage", message: "what came is no hello of a node")
  static let secret = Self(reason: "link-secret", message: "the other end has another cluster secret")
  static let late = Self(reason: "link-late", message: "the hello took too long", level: .info)
  static let unknown = Self(
    reason: "link-unknown", message: "the other node is not known here, or not so", level: .debug)
  static let closed = Self(reason: "link-closed", message: "the other end hung up", level: .debug)
  static let unproven = Self(
    reason: "link-secret", message: "the other end hung up at the proof: has it another cluster secret?")

  static func version(_ version: Int) -> Self {
    Self(
      reason: "link-version",
      message: "the other end speaks version \(version) of links, and this one \(LinkHello.version)")
  }

  static func node(_ node: Int64, instead meant: Int64) -> Self {
    Self(reason: "link-node", message: "node \(node) is at the address, and node \(meant) was meant")
  }

  static func unreachable(_ error: LinkSocket.SystemError) -> Self {
    Self(reason: "link-unreachable", message: error.description, level: .debug)
  }
}

/// A connection to another node until both ends have proven that they have the secret.
///
/// It reads byte for byte what the hello needs: what comes behind it is the link's.
final class LinkHandshake: WatchedSocketOwner {
  /// What this end connects; nil at the end that accepts.
  let way: LinkWay?
  /// The other end, for the log.
  let peerName: String
  private unowned let links: LoopLinks
  private let socket: WatchedSocket
  private var phase: Phase
  private var arrived: [UInt8] = []
  /// The hello of the end that connects, and the other one's behind it.
  private var hellos: [UInt8] = []
  /// What the other end said.
  private var otherHello: LinkHello?
  private var isOver = false

  private enum Phase {
    case connecting, hello, proof
  }

  /// Begins at the end that connects if `way` says what, and at the other one if not.
  init(_ socket: WatchedSocket, _ way: LinkWay?, peerName: String, _ links: LoopLinks) {
    self.socket = socket
    self.way = way
    self.peerName = peerName
    self.links = links
    phase = way == nil ? .hello : .connecting
    socket.owner = self
    socket.watch(reading: way == nil, writing: way != nil)
  }

  /// Gives it up without a word.
  func close() {
    isOver = true
    socket.close()
  }

  /// The time is over, if it is not done.
  func expire() { if !isOver { fail(.late) } }

  func ready(isReadable: Bool, isWritable: Bool) {
    if phase == .connecting {
      if isWritable { connected() }
      return
    }
    while !isOver, receive() {}
  }

  private func fail(_ problem: LinkProblem, isRefused: Bool = false) {
    close()
    links.failed(self, problem, isRefused: isRefused)
  }

  private func send(_ bytes: [UInt8]) {
    // The socket is empty, and takes that much; if not, the other end misses it.
    _ = bytes.withUnsafeBytes { socket.send($0) }
  }

  // MARK: - The steps

  private func connected() {
    let error = LinkSocket.SystemError(number: socket.connectionError)
    guard error.number == 0, let way else {
      return fail(.unreachable(error), isRefused: error.number == ECONNREFUSED)
    }
    hellos = links.hello(to: way.node, otherLoop: way.loop, loop: links.loop.index).encoded
    send(hellos)
    phase = .hello
    socket.watch(reading: true, writing: false)
  }

  /// Reads no more than what is needed next.
  ///
  /// - Returns: Whether all of that was there.
  private func receive() -> Bool {
    let needed = neededBytes
    var bytes = [UInt8](repeating: 0, count: needed - arrived.count)
    let count = bytes.withUnsafeMutableBytes { socket.receive(into: $0) }
    guard count != 0 else {
      fail(phase == .proof && way != nil ? .unproven : .closed)
      return false
    }
    guard count > 0 else { return false }
    arrived += bytes.prefix(count)
    guard arrived.count == needed else { return false }
    if phase == .proof {
      takeProof()
    } else if needed == LinkHello.headBytes {
      takeHead()
    } else {
      takeHello()
    }
    return true
  }

  private var neededBytes: Int {
    if phase == .proof { return LinkHello.proofBytes }
    return arrived.count < LinkHello.headBytes
      ? LinkHello.headBytes : LinkHello.byteCount(head: Array(arrived.prefix(LinkHello.headBytes))) ?? 0
  }

  private func takeHead() {
    guard let count = LinkHello.byteCount(head: arrived), count > arrived.count else { return fail(.garbage) }
    let version = LinkHello.version(head: arrived)
    guard version != LinkHello.version else { return }
    // So that the other end can tell, too.
    if way == nil { send(links.hello(to: 0, otherLoop: 0, loop: 0).encoded) }
    fail(.version(version))
  }

  private func takeHello() {
    guard let hello = LinkHello(encoded: arrived) else { return fail(.garbage) }
    otherHello = hello
    if let way { answered(hello, way) } else { greeted(hello) }
    arrived = []
    phase = .proof
  }

  /// The end that connects has the answer.
  private func answered(_ hello: LinkHello, _ way: LinkWay) {
    guard hello.from == way.node else { return fail(.node(hello.from, instead: way.node)) }
    guard hello.to == links.settings.node, links.peers[way.node]?.loops == hello.loops else {
      return fail(.unknown)
    }
    hellos += arrived
    send(LinkHello.proof(connects: true, hellos: hellos, secret: links.settings.secret))
  }

  /// The end that accepts has the first hello.
  private func greeted(_ hello: LinkHello) {
    let node = links.settings.node
    let isKnown =
      links.peers[hello.from]?.loops == hello.loops && hello.from < node && hello.fromLoop < hello.loops
      && hello.toLoop < links.settings.loops.count
    guard hello.to != node || isKnown else { return fail(.unknown) }
    let answer = links.hello(to: hello.from, otherLoop: hello.fromLoop, loop: hello.toLoop).encoded
    send(answer)
    guard hello.to == node else { return fail(.node(node, instead: hello.to)) }
    hellos = arrived + answer
  }

  private func takeProof() {
    guard let hello = otherHello else { return fail(.garbage) }
    let secret = links.settings.secret
    let expected = LinkHello.proof(connects: way == nil, hellos: hellos, secret: secret)
    guard Cryptography.areEqual(arrived, expected) else { return fail(.secret) }
    if way == nil { send(LinkHello.proof(connects: false, hellos: hellos, secret: secret)) }
    isOver = true
    links.agreed(self, hello, socket.take())
  }
}
