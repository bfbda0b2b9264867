// SPDX-License-Identifier: Apache-2.0
import MusubiAdmin
import MusubiServer

/// A server that listens, with everything that was started for it.
struct Serving {
  let server: Server
  let loops: RunningLoops
  let admin: AdminServer?
  let run: StoredRun?
  let records: RecordFiles?
  let cluster: RunningCluster?

  /// Reads the certificate again.
  func reloadCertificate() {
    server.reloadCertificate()
    admin?.server.reloadCertificate()
  }

  /// Ends all of it, pages first.
  ///
  /// - Parameter drains: Whether other servers get the rooms before; not if they have taken the store.
  func end(drains: Bool) async {
    admin?.phase = .draining
    if drains { await cluster?.drain() }
    cluster?.unlink()
    if cluster != nil { loops.join(.apart) }
    await server.stop()
    records?.flush()
    loops.detach(server.loops)
    await admin?.stop()
    await run?.end()
    await cluster?.leave()
  }
}
