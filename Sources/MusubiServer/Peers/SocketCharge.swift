// SPDX-License-Identifier: Apache-2.0
import MusubiSession

/// What a socket, or a request of it, takes of its loop's memory, and who pays for it; given back when nobody holds it.
///
/// A socket has one from its acceptance until a session serves it, which counts the connection from then on.
final class SocketCharge {
  private var charge: Charge

  init(_ owner: Owner) { charge = Charge(owner) }

  var owner: Owner { charge.owner }

  /// It takes so many bytes from now on.
  func set(_ bytes: Int) { charge.set(bytes) }

  /// Somebody else pays from now on.
  func move(to owner: Owner) {
    guard owner !== charge.owner else { return }
    let bytes = charge.bytes
    charge = Charge(owner)
    charge.set(bytes)
  }
}

// MARK: - What is held

extension Connection {
  /// The most bytes that the library keeps of a response that the kernel has not taken yet.
  static let responsePieceBytes = 65_536

  /// The bytes of a socket before its first request is known: as much as the library keeps of a head.
  static func acceptedBytes(_ core: LoopCore) -> Int {
    core.memory.connectionBytes + core.configuration.maxHeaderBytes
  }

  /// Counts the bytes that the socket takes now, unless its session does.
  func recharge() {
    // The library keeps a head until its request is answered, and reads the next one into the same place.
    charge?.set(isWebSocket ? core.memory.connectionBytes : Self.acceptedBytes(core) + waitingBytes)
  }

  /// What waits of an answer.
  private var waitingBytes: Int {
    switch answering {
    case .response(let response): min(response.body.count, Self.responsePieceBytes)
    case .exchange(let exchange): exchange.waitingBytes + unsent.capacity
    case nil: 0
    }
  }

  /// Has those pay who have made a request; behind a proxy the socket does not tell.
  func pay(as peers: [Peer]) {
    guard let charge, peers != charge.owner.peers else { return }
    charge.move(to: core.memory.owner(peers))
  }

  /// Whether there is memory for so many bytes of an answer.
  func hasSpace(for bytes: Int) -> Bool {
    charge.map { core.memory.hasSpace(for: $0.owner, bytes: bytes) } ?? true
  }

  /// A session counts the connection's bytes from now on.
  func served() { charge = nil }
}

extension HTTPRefusal {
  /// The name of the next one for counters and logs, also where a socket is closed without it.
  static let memoryReason = "too-much-memory"

  /// Whoever makes a request holds as much of the memory as one may.
  static func memory(of peer: Peer?) -> Self {
    var refusal = Self(
      status: 503, code: "full",
      message: "There is no memory for one more request from here; come back later.")
    refusal.reason = memoryReason
    refusal.peer = peer
    return refusal
  }
}
