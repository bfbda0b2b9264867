// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

extension ScriptRun {
  /// Begins a step that opens, cuts or resumes a connection.
  func startConnection(_ action: Action, _ end: ContinuousClock.Instant) throws(StepFailure) -> Wait? {
    switch action {
    case .open(let name, let target, let options):
      let client = try add(name: name, target: now.text(of: target), options: connectionOptions(options))
      return try open(client, options, end)
    case .openLike(let name, let model, let options):
      let model = try client(model)
      var connectionOptions = connectionOptions(options)
      if !options.isPlain { connectionOptions.followsEdits = model.options.followsEdits }
      if options.origin == nil { connectionOptions.origin = model.options.origin }
      if options.cookie == nil { connectionOptions.cookie = model.options.cookie }
      if options.visitor == nil { connectionOptions.authorization = model.options.authorization }
      return try open(try add(name: name, target: model.target, options: connectionOptions), options, end)
    case .resume(let name): return try resume(try client(name), end)
    case .reload(let name):
      let client = try client(name)
      client.connection.close()
      client.focus = nil
      client.connection.update { $0.forgetState() }
      return try resume(client, end)
    case .cookie(let name, let cookie):
      try client(name).connection.options.cookie = cookie.map { now.text(of: $0) }
    case .drop(let name): try client(name).connection.drop()
    case .close(let name): try client(name).connection.close()
    default: throw StepFailure("This is no step for a connection.")
    }
    return nil
  }

  private func connectionOptions(_ options: OpenOptions) -> ClientConnection.Options {
    var result = ClientConnection.Options()
    result.followsEdits = !options.isPlain
    result.origin = options.origin.map { now.text(of: $0) }
    result.cookie = options.cookie.map { now.text(of: $0) }
    result.authorization = options.visitor.map { visitor in
      server.authorization(of: now.text(of: visitor.name), roles: visitor.roles)
    }
    result.subprotocol = options.subprotocol
    return result
  }

  private func open(
    _ client: ScriptClient, _ options: OpenOptions, _ end: ContinuousClock.Instant
  ) throws(StepFailure) -> Wait {
    try client.connect()
    return Wait(
      deadline: end,
      advance: { () throws(StepFailure) in
        switch client.connection.status {
        case .refused(let refusal) where options.refusal == refusal.status:
          guard options.refusalCode == nil || refusal.code == options.refusalCode else {
            throw StepFailure("\(client.name) was \(refusal)")
          }
          return true
        case .closed(let code, _) where options.refusal == Int(code):
          guard
            options.refusalCode == nil || client.errors.contains(where: { $0.code == options.refusalCode })
          else { throw StepFailure("\(client.name) is \(client.situation)", details: client.report) }
          client.errors = []
          return true
        case .refused, .closed:
          throw StepFailure("\(client.name) is \(client.situation)", details: client.report)
        case .open where client.connection.session.position == nil: return false
        case .open where options.refusal.map { $0 < 1000 } ?? false:
          throw StepFailure("\(client.name) was not refused but connected", details: client.report)
        // A page that is opened and then closed with a code has its first state in between.
        case .open: return options.refusal == nil
        case .idle, .connecting: return false
        }
      },
      timeout: {
        let isShown = client.connection.session.position != nil
        return StepFailure(
          isShown ? "\(client.name) was not refused but connected" : "\(client.name) has no snapshot yet",
          details: client.report)
      })
  }

  /// Connects until it works, since a server may just be coming up, and waits until the session goes on.
  private func resume(_ client: ScriptClient, _ end: ContinuousClock.Instant) throws(StepFailure) -> Wait {
    guard client.connection.session.identifier != nil else {
      throw StepFailure("\(client.name) has no session to resume.")
    }
    try client.connect()
    let pause = Duration.milliseconds(20)
    var next = ContinuousClock.now.advanced(by: pause)
    var wasOpen = false
    return Wait(
      checkAgain: next, deadline: end,
      advance: { () throws(StepFailure) in
        if client.resumed != nil { return true }
        if case .open = client.connection.status { wasOpen = true }
        guard case .closed(let code, _) = client.connection.status, !wasOpen, code == 1006 else {
          switch client.connection.status {
          case .closed, .refused:
            throw StepFailure("\(client.name) is \(client.situation)", details: client.report)
          case .idle, .connecting, .open: return false
          }
        }
        guard ContinuousClock.now >= next else { return false }
        next = ContinuousClock.now.advanced(by: pause)
        try client.connect()
        return false
      }, timeout: { StepFailure("\(client.name) is not resumed yet", details: client.report) })
  }

  // MARK: - The server

  func startServer(_ action: Action) throws(StepFailure) -> Wait? {
    switch action {
    case .killServer:
      try server.kill()
      return nil
    case .stopServer:
      try server.terminate()
      return waitForServer("end") { [server] () throws(StepFailure) in server.hasEnded }
    default:
      try server.terminate()
      var isStarted = false
      return waitForServer("start again") { [server] () throws(StepFailure) in
        guard server.hasEnded || isStarted else { return false }
        if !isStarted {
          isStarted = true
          try server.start()
        }
        guard !server.hasEnded else { throw StepFailure("The server ended at its start.") }
        return server.isListening
      }
    }
  }

  private func waitForServer(
    _ what: String, _ advance: @escaping () throws(StepFailure) -> Bool
  ) -> Wait {
    Wait(
      deadline: ContinuousClock.now.advanced(by: .seconds(10)), advance: advance,
      timeout: { StepFailure("the server did not \(what) within 10 s") })
  }
}

extension ClientRefusal {
  /// The code in the body.
  fileprivate var code: String? {
    do throws(WireError) {
      return try Value(json: body)["code"]?.stringValue
    } catch {
      return nil
    }
  }
}
