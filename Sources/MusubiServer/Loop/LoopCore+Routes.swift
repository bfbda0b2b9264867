// SPDX-License-Identifier: Apache-2.0
import MusubiSession

// MARK: - Requests that the program answers

extension LoopCore {
  /// What the program says of a request.
  func match(of request: HTTPRequest) -> HTTPRouteMatch {
    guard let match = site.match, request.defect == nil, request.isAddressUTF8,
      !request.path.hasPrefix("/live/")
    else { return .none }
    return match(request)
  }

  /// A place for a request, or why it is refused.
  func place(for request: HTTPRequest, _ route: HTTPRoute) -> Result<RequestPlace, HTTPRefusal> {
    if !request.isLooking, let refusal = handshake.changeRefusal(of: request) {
      return .failure(refusal)
    }
    if isDraining { return .failure(.restarting) }
    let bytes = request.contentLength ?? 0
    if !request.mayBringBody, bytes > 0 {
      return .failure(.badRequest("A request of this method brings no body."))
    }
    if request.mayBringBody {
      guard request.contentLength != nil else { return .failure(.lengthRequired) }
      guard bytes <= route.maxBodyBytes else { return .failure(.tooLong(route.maxBodyBytes)) }
    }
    return RequestPlace.take(in: shared.ledger, for: request.addresses, bytes: route.keptBytes(of: bytes))
      .mapError { HTTPRefusal($0, of: request.addresses.first) }
  }

  /// Begins an exchange of a connection.
  func exchange(
    of connection: Connection, _ route: HTTPRoute, _ request: HTTPRequest, _ place: RequestPlace?
  ) -> RouteExchange {
    lastExchange += 1
    let exchange = RouteExchange(
      number: lastExchange, connection: connection.id, route: route, request: request, place: place,
      deadline: loop.now + route.timeLimit)
    connection.exchange = exchange
    exchanges.insert((connection.id, exchange.number), at: exchange.deadline)
    return exchange
  }

  /// Gives an exchange so much time from now on.
  func extend(_ exchange: RouteExchange, by time: Duration) {
    let deadline = loop.now + time
    // A later time is looked at when the earlier one has come.
    if deadline < exchange.deadline { exchanges.insert((exchange.connection, exchange.number), at: deadline) }
    exchange.deadline = deadline
  }

  /// The connection of an exchange that goes on.
  func connection(_ id: UInt64, in number: UInt64) -> Connection? {
    guard let connection = connections[id], connection.exchange?.number == number else { return nil }
    return connection
  }

  /// A request is complete; the program is asked at the end of the iteration.
  func bodyArrived(_ connection: Connection) {
    // The next request waits, however much of it has come along.
    connection.socket?.stopReading()
    arrivedRequests.append(connection)
  }

  /// Asks the program for the answers to requests that are complete.
  func takeRequests() {
    guard !arrivedRequests.isEmpty else { return }
    var batch: [Connection] = []
    swap(&batch, &arrivedRequests)
    for connection in batch { connection.askProgram() }
  }

  /// Gives up exchanges whose time is over.
  func expireExchanges() {
    while let (id, number) = exchanges.take(at: loop.now) {
      guard let connection = connection(id, in: number), let exchange = connection.exchange else { continue }
      if exchange.deadline > loop.now {
        exchanges.insert((id, number), at: exchange.deadline)
      } else {
        connection.exchangeExpired()
        guard connection.exchange?.number == number else { continue }
        exchanges.insert((id, number), at: max(exchange.deadline, loop.now + .seconds(1)))
      }
    }
  }
}
