// SPDX-License-Identifier: Apache-2.0
import MusubiAdmin
import MusubiServer
import MusubiSession
import MusubiStorage

extension Application {
  /// Starts the server, prints `listening http://HOST:PORT` on standard output, and serves until SIGTERM or SIGINT.
  ///
  /// With `configuration.admin` it prints `admin http://HOST:PORT` as well. With a certificate the address begins with `https`, and SIGHUP has the certificate read again.
  ///
  /// - Throws: `SchemaError`, `ContentSecurityError`, `PageError` or a server's error with one sentence, before anything listens.
  public func serve() async throws {
    var events = try ServeEvents(reloads: configuration.certificateFile != nil)
    let admin = try adminServer(running)
    let run = try await StoredRun.open(configuration) { [tell = events.tell] in tell(.storeLost) }
    guard try await waits(for: run, &events) else { return }
    let serving = try await begin(run, admin)
    run?.listens()
    StandardOutput.write("listening \(serving.server.address)\n")
    if configuration.isDevelopment, run != nil { tellForgetful() }
    admin?.phase = .serving
    if let admin { StandardOutput.write("admin \(admin.server.address)\n") }
    let event = await events.next(reload: serving.reloadCertificate)
    await serving.end(drains: event != .storeLost)
    // Until here a second signal ends nothing.
    withExtendedLifetime(events) {}
    // Whoever supervises the process starts another one, which waits until it may have the store.
    if event == .storeLost, let loss = run?.loss { throw loss }
  }

  /// Waits as long as a process does that follows others that have failed.
  ///
  /// - Returns: Whether it may start; false if it was asked to end.
  /// - Throws: The loss of the store.
  private func waits(for run: StoredRun?, _ events: inout ServeEvents) async throws -> Bool {
    guard let run, run.wait > .zero else { return true }
    let waiting = Task { [tell = events.tell] in
      try await Task.sleep(for: run.wait)
      tell(.waited)
    }
    let event = await events.next()
    guard event != .waited else { return true }
    waiting.cancel()
    await run.store.close()
    if event == .storeLost { throw run.loss ?? CancellationError() }
    return false
  }

  /// Starts the server, and enters it among others if there are some.
  ///
  /// - Parameters:
  ///   - run: Its store; nil if nothing is stored.
  ///   - admin: Its admin port; nil if there is none.
  /// - Returns: What runs now.
  /// - Throws: What `serve` throws, with nothing left running.
  private func begin(_ run: StoredRun?, _ admin: AdminServer?) async throws -> Serving {
    let mailboxes = LoopMailboxes(isClustered: configuration.clusterURL != nil)
    if mailboxes.isClustered { running.join(.apart) }
    do {
      try RunningCluster.check(configuration)
      try run?.start()
      let records = try configuration.recordFolder.map { folder throws(StorageError) in
        try RecordFiles(folder, limit: configuration.recordLimit, configuration.logger)
      }
      run?.note(records)
      let server = try start(
        store: run?.store, stored: run?.state ?? StoredState(), record: run?.record,
        records: (records.map { [$0] } ?? []) + (admin?.inspected.map { [$0] } ?? []), mailboxes: mailboxes,
        secret: try RunningCluster.secret(configuration)
      ) {
        guard let admin else { return }
        try admin.start(following: $0, $1, slowLines: configuration.isDevelopment)
        admin.server.tellUntold(in: configuration.logger)
      }
      return Serving(
        server: server, loops: running, admin: admin, run: run, records: records,
        cluster: try await joinOthers(run, server, mailboxes))
    } catch {
      await admin?.stop()
      await run?.giveUp()
      throw error
    }
  }

  /// Enters a server among others; one that cannot be entered is stopped.
  private func joinOthers(
    _ run: StoredRun?, _ server: Server, _ mailboxes: LoopMailboxes
  ) async throws -> RunningCluster? {
    do {
      let cluster = try RunningCluster.join(configuration, run, server, mailboxes)
      if let cluster { running.join(.among(cluster)) }
      return cluster
    } catch {
      await server.stop()
      running.detach(server.loops)
      throw error
    }
  }
}
