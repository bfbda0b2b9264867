// SPDX-License-Identifier: Apache-2.0
import MusubiSession
import Synchronization

/// The decision about a handshake.
enum HandshakeVerdict {
  /// It may become a connection, if there is a place.
  case accepted(any ConnectionService, ConnectionRequest)
  case refused(HTTPRefusal)
  /// Its peer was refused too often: the socket is closed.
  case dropped
}

// MARK: - Sockets and addresses

extension LoopCore {
  /// The peers whose limits an address counts against.
  ///
  /// Loopback addresses are not counted: proxies sit there.
  func counted(_ address: IPAddress) -> [Peer] {
    configuration.countsLoopback || !address.isLoopback ? address.peers : []
  }

  /// Takes a place for a socket, and memory for its first head, before any work for it, which with TLS is a handshake.
  ///
  /// - Returns: What it takes; nil if there is no place, or no memory.
  func admitSocket(from address: String, _ peers: [Peer]) -> SocketCharge? {
    guard shared.admitSocket() else {
      refused("too-many-sockets", .warning, of: "all", [("address", address)])
      return nil
    }
    guard shared.ledger.admitSocket(of: peers, at: loop.now) else {
      shared.releaseSocket()
      refused("closed-unheard", of: peers.first?.text ?? address, [("address", address)])
      return nil
    }
    let (charge, bytes) = (SocketCharge(memory.owner(peers)), Connection.acceptedBytes(self))
    guard memory.hasSpace(for: charge.owner, bytes: bytes) else {
      shared.releaseSocket()
      shared.ledger.releaseSocket(of: peers)
      refused(HTTPRefusal.memoryReason, of: peers.first?.text ?? address, [("address", address)])
      return nil
    }
    charge.set(bytes)
    return charge
  }

  /// Takes a place for a WebSocket, or says why there is none.
  func takePlace(for peers: [Peer]) -> HandshakeVerdict? {
    guard shared.admitConnection() else { return heard(.full, peers) }
    guard let refusal = shared.ledger.admit(peers, at: loop.now) else { return nil }
    shared.releaseConnection()
    return verdict(of: refusal, peers)
  }

  /// Has a connection that has a place count against more peers, or says why it may not.
  func count(_ connection: Connection, as peers: [Peer]) -> HandshakeVerdict? {
    let more = peers.filter { !connection.peers.contains($0) }
    if let refusal = shared.ledger.admit(more, at: loop.now) { return verdict(of: refusal, more) }
    leaveAddress(connection)
    connection.peers = peers
    if connection.stream != nil { joinAddress(connection) }
    return nil
  }

  /// Gives the place of a WebSocket back.
  func releasePlace(of connection: Connection) {
    shared.releaseConnection()
    shared.ledger.releaseConnection(of: connection.peers)
    connection.peers = []
  }

  /// The request that a socket has made, of the visitor behind it.
  func request(of socket: LWSSocket, _ connection: Connection) -> HTTPRequest {
    var request = socket.request(
      remoteAddress: connection.remoteAddress, maxHeaderBytes: configuration.maxHeaderBytes)
    request.isSecure = configuration.certificateFiles != nil
    guard let address = IPAddress(connection.remoteAddress) else { return request }
    guard configuration.trustedProxies.contains(address) else {
      request.addresses = connection.socketPeers
      if TrustedProxies.isForwarded(request.headers) { tellOfProxy(at: address) }
      return request
    }
    // Proxies add lines of their own behind those of their visitors.
    read(["forwarded"], of: socket, into: &request)
    if !request.isSecure {
      read(["x-forwarded-proto"], of: socket, into: &request)
      request.isSecure = TrustedProxies.isSecure(request.headers)
    }
    read(TrustedProxies.userHeaders, of: socket, into: &request, isList: false)
    let (visitor, isKnown) = configuration.trustedProxies.visitor(of: address, request.headers)
    request.remoteAddress = visitor.text
    // Those who cannot be told apart are one, also where their proxy is on this machine.
    request.addresses = isKnown ? counted(visitor) : visitor.peers
    return request
  }

  /// Reads header fields of a trusted proxy, with all their lines.
  ///
  /// One that is no list may have one line; else the request is refused, because one of them is the visitor's.
  private func read(
    _ names: [String], of socket: LWSSocket, into request: inout HTTPRequest, isList: Bool = true
  ) {
    for name in names {
      let lines = socket.customLines(name, maxHeaderBytes: configuration.maxHeaderBytes)
      guard let lines, isList || lines.count <= 1 else {
        request.defect = request.defect ?? "A request from a proxy has one line of \(name)."
        continue
      }
      request.headers[name] = lines.isEmpty ? nil : lines.joined(separator: ",")
    }
  }

  /// Tells once that all visitors look like one.
  private func tellOfProxy(at address: IPAddress) {
    guard !shared.hasToldOfProxy.exchange(true, ordering: .relaxed) else { return }
    let range = "\(address.text)/\(address.isIPv4 ? 32 : 128)"
    log(
      .warning, "proxy not trusted",
      [
        "address": address.text, "trust-with": "--trust-proxy \(range)",
        "message":
          "behind a proxy all visitors look like one, and share the limits of one, until it is named",
      ])
  }

  /// Counts a refusal; the log tells of one kind and peer once a second.
  func refused(
    _ reason: String, _ level: Logger.Level = .info, event: String = "refused", of peer: String,
    _ fields: @autoclosure () -> [(String, String)] = []
  ) {
    guard let count = shared.ledger.refusals.count(reason, of: peer, at: loop.now) else { return }
    logger.log(level, event, [("reason", reason)] + fields() + [("peer", peer), ("count", "\(count)")])
  }
}

// MARK: - Handshakes

extension LoopCore {
  /// The gate's verdict on a request; open where there is none.
  ///
  /// - Returns: The verdict; nil if the address was refused so often that it is not heard any more.
  func passage(of request: HTTPRequest) -> AccessGate.Passage? {
    guard let gate = configuration.gate, request.defect == nil else { return .open }
    let passage = gate.passage(of: request, handshake)
    if case .refused(let refusal) = passage, refusal.status == 401,
      !shared.ledger.answers(request.addresses, at: loop.now)
    {
      return nil
    }
    return passage
  }

  /// Decides about a handshake.
  ///
  /// - Parameters:
  ///   - request: The handshake.
  ///   - decide: Called once with the decision: before this returns, or later on the loop.
  func admit(_ request: HTTPRequest, then decide: @escaping (HandshakeVerdict) -> Void) {
    if let refusal = handshake.refusal(of: request) { return decide(.refused(refusal)) }
    guard let passage = passage(of: request) else { return decide(.dropped) }
    if case .refused(let refusal) = passage { return decide(.refused(refusal)) }
    guard let (service, connectionRequest) = target(of: request) else {
      return decide(.refused(.notFound))
    }
    admit(connectionRequest, to: service, of: request, then: decide)
  }

  /// Asks a service about a connection, unless its address has too much.
  private func admit(
    _ connectionRequest: ConnectionRequest, to service: any ConnectionService, of request: HTTPRequest,
    then decide: @escaping (HandshakeVerdict) -> Void
  ) {
    // The address is known before anybody is asked who it is.
    if let refusal = shared.ledger.refusal(of: request.addresses, at: loop.now) {
      return decide(verdict(of: refusal, request.addresses))
    }
    service.admit(connectionRequest) { [self] admission in
      switch admission {
      case .refused(let status, let code, let message, let logIn):
        let refusal = HTTPRefusal(status: status, code: code, message: message, logIn: logIn)
        decide(code == "full" ? heard(refusal, request.addresses) : .refused(refusal))
      case .limited(let refusal, let peers): decide(verdict(of: refusal, peers))
      case .accepted(let admitted): decide(.accepted(service, admitted))
      }
    }
  }

  /// Nobody knows yet who makes a request; a while later it is refused.
  ///
  /// The application's answer has a limit of time of its own, which needs a thread that the application may keep busy.
  func awaitDecision(about request: HTTPRequest, of connection: Connection) {
    undecided.insert((connection, request), at: loop.now + configuration.decisionTimeout)
  }

  /// Refuses those of whom nobody has said in time who they are.
  func giveUpUndecided() {
    guard let deadline = undecided.nextDeadline, deadline <= iterationTime else { return }
    while let (connection, request) = undecided.take(at: iterationTime) {
      connection.decided(.refused(.timedOut), about: request)
    }
  }

  /// Peers that have too much are told why, up to a bound.
  private func verdict(of refusal: PeerRefusal, _ peers: [Peer]) -> HandshakeVerdict {
    heard(HTTPRefusal(refusal, of: peers.first), peers)
  }

  /// Who comes again and again to a full server, or with too much, is not heard for ever.
  private func heard(_ refusal: HTTPRefusal, _ peers: [Peer]) -> HandshakeVerdict {
    shared.ledger.answers(peers, at: loop.now) ? .refused(refusal) : .dropped
  }

  /// The answer to a plain request that is malformed, or that goes to a WebSocket's address: why the
  /// handshake would fail, or to make one.
  ///
  /// As with a handshake, who is refused too often is not answered.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - answer: Called once, before this returns or later on the loop; with nil, and at once, if the address is none of a
  ///     WebSocket.
  func refuseWithoutHandshake(_ request: HTTPRequest, then answer: @escaping (HandshakeVerdict?) -> Void) {
    if let defect = request.defect { return answer(.refused(.badRequest(defect))) }
    guard request.isAddressUTF8 else { return answer(.refused(.notUTF8)) }
    guard request.isLooking, let (service, connectionRequest) = target(of: request) else {
      return answer(nil)
    }
    if let refusal = handshake.originRefusal(of: request) { return answer(.refused(refusal)) }
    if isDraining { return answer(heard(.restarting, request.addresses)) }
    admit(connectionRequest, to: service, of: request) { [self] verdict in
      guard case .accepted(_, let admitted) = verdict else { return answer(verdict) }
      if shared.isFull { return answer(heard(.full, admitted.peers)) }
      let refusal = shared.ledger.refusal(of: admitted.peers, at: loop.now)
      answer(refusal.map { self.verdict(of: $0, admitted.peers) } ?? .refused(.upgradeRequired))
    }
  }

  private func target(of request: HTTPRequest) -> (any ConnectionService, ConnectionRequest)? {
    if let echo, request.path == configuration.conformanceEcho {
      return (echo, request.connectionRequest(screen: ""))
    }
    let prefix = "/live/"
    guard let service, request.path.hasPrefix(prefix) else { return nil }
    let screen = String(request.path.dropFirst(prefix.count))
    return (service, request.connectionRequest(screen: screen))
  }
}
