// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation
import GalleryScreens
import Musubi
import MusubiBinding
import MusubiServer
import MusubiSession
import MusubiWire

/// A room on one of three servers, a page there that types, and many pages at the two others, without sockets, and with a store that
/// costs nothing.
///
/// Time is virtual and goes on by a second with each turn, so that turns do not wait for each other.
final class CrowdStage {
  /// What turns have cost: the CPU time of the room's server, and the bytes on both of its links together.
  private(set) var (nanoseconds, bytes): (UInt64, Int) = (0, 0)
  /// The bytes of the last turn as a page got it.
  private(set) var frameBytes = 0

  private var nodes: [Gateway] = []
  private let mail = Mail()
  private let writer: Page
  private var readers: [Page] = []
  private var typed = 0

  /// - Parameter pages: How many are at each of the two others.
  init(pages: Int) {
    var application = Application()
    Gallery.addNumber(to: &application)
    var configuration = SessionConfiguration()
    configuration.messageRate = nil
    writer = Page(mail)
    for node in 0..<3 {
      var entropy: UInt8 = 0
      var environment = LoopEnvironment(
        clock: { [mail] in mail.now }, wallClock: { 0 },
        entropy: { count in
          (0..<count).map { _ in
            entropy &+= 1
            return entropy
          }
        }, sha256: Cryptography.sha256)
      environment.isClustered = true
      environment.store = Shelf()
      let sessions = SessionLoop(
        routes: application.routes, configuration: configuration, environment: environment)
      nodes.append(
        Gateway(loop: 0, of: 1, sessions: sessions) { [mail] in
          mail.batches.append((node, Place.parts(of: $1).peer, $0.encoded(at: mail.now)))
        })
    }
    for node in 0..<3 {
      for other in 0..<3 where other != node { nodes[node].open(Place.remote(peer: other, loop: 0)) }
      for slot in 0..<4_096 {
        let move = SlotMove(generation: 1, lostSince: 0)
        if node == 0 {
          nodes[0].adopt(slot, StoredState(), move)
        } else {
          nodes[node].note(slot, home: Place.remote(peer: 0, loop: 0), move)
        }
      }
    }
    connect(writer, to: 0)
    for node in 1...2 {
      for _ in 0..<pages {
        let page = Page(mail)
        readers.append(page)
        connect(page, to: node)
      }
    }
    settle()
  }

  private func connect(_ page: Page, to node: Int) {
    page.handler = nodes[node].connect(
      ConnectionRequest(screen: "number", query: ["room": "crowd", "edits": "1"]), page)
  }

  /// Has turns be made, and has all pages get them then: what they do would only push the home server's memory out of reach.
  ///
  /// - Parameter count: How many.
  /// - Throws: `BenchError` if a page did not get them.
  func run(turns count: Int) throws(BenchError) {
    for reader in readers { reader.bytes = 0 }
    for _ in 0..<count {
      mail.now += .seconds(1)
      nodes[0].advance(to: mail.now)
      nodes[0].finishTurns()
      nodes[0].endIteration()
      let before = mail.batches.reduce(0) { $0 + $1.bytes.count }
      let message = edit()
      let start = musubi_process_cpu_ns(getpid())
      message.withUnsafeBytes { writer.handler?.receive($0, isText: true) }
      nodes[0].finishTurns()
      nodes[0].endIteration()
      nanoseconds += musubi_process_cpu_ns(getpid()) - start
      bytes += mail.batches.reduce(0) { $0 + $1.bytes.count } - before
      mail.fetch()
    }
    settle()
    frameBytes = (readers.first?.bytes ?? 0) / count
    guard let first = readers.first?.bytes, first > 0, readers.allSatisfy({ $0.bytes == first }) else {
      throw BenchError("not all pages of a crowd got the turns")
    }
  }

  /// Eight digits over those that are there.
  private func edit() -> [UInt8] {
    typed += 1
    let start = typed == 1 ? "[0,1,\"" : "[0,8,\""
    let text = "\(start)\(10_000_000 + typed)\"]"
    return Array(
      #"{"input":\#(typed),"name":"number","revision":\#(typed - 1),"edits":[\#(text)]}"#.utf8)
  }

  /// Forgets what turns have cost so far.
  func clear() { (nanoseconds, bytes) = (0, 0) }

  /// Lets everything arrive.
  private func settle() {
    repeat {
      let batches = mail.batches
      mail.batches = []
      for (sender, receiver, bytes) in batches {
        do {
          try bytes.withUnsafeBytes {
            try nodes[receiver].take($0, from: Place.remote(peer: sender, loop: 0))
          }
        } catch { preconditionFailure("\(error)") }
      }
      for node in nodes { node.finishTurns() }
      mail.fetch()
      for node in nodes { node.endIteration() }
    } while !mail.batches.isEmpty || !mail.woken.isEmpty
  }

  /// What is on its way between the servers, and which pages are to be served.
  private final class Mail {
    var now = Duration.zero
    var batches: [(sender: Int, receiver: Int, bytes: [UInt8])] = []
    var woken: [Page] = []
    private var out = ByteBuffer()

    func fetch() {
      let pages = woken
      woken = []
      for page in pages {
        out.removeAll()
        while page.handler?.write(into: &out, limit: 65_536) == true {}
        page.bytes += out.count
      }
    }
  }

  private final class Page: ConnectionHandle {
    private let mail: Mail
    var handler: (any ConnectionHandler)?
    /// What it has got since somebody asked.
    var bytes = 0

    init(_ mail: Mail) { self.mail = mail }

    func wake() { mail.woken.append(self) }
    func close(_ end: ConnectionEnd) { preconditionFailure("A page of a crowd was sent away: \(end)") }
    func setReading(_ isReading: Bool) {}
  }

  /// Takes records at once, and keeps none.
  private final class Shelf: SessionStore {
    func room(_ key: RoomKey) throws(RecordError) -> StoredRoom { throw .unreadable("nothing is kept") }

    func session(_ id: String) throws(RecordError) -> StoredSession { throw .unreadable("nothing is kept") }

    func commit(
      _ changes: StoreChanges, completion: @escaping @Sendable (Result<StoredSizes, StoreFailure>) -> Void
    ) {
      var sizes = StoredSizes()
      sizes.rooms = changes.rooms.map { _ in 256 }
      sizes.steps = changes.roomSteps.map { _ in 256 }
      sizes.sessions = changes.sessions.map { _ in 256 }
      completion(.success(sizes))
    }
  }
}
