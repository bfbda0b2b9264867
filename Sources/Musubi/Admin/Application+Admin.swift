// SPDX-License-Identifier: Apache-2.0
import MusubiAdmin
import MusubiBinding
import MusubiServer
import MusubiSession

extension Application {
  /// The port for who runs the server; nil if the configuration asks for none.
  ///
  /// - Throws: `ServerError` if the pages cannot be read, `AdminError` if the token is missing or lies open, or if rooms are to be shown without a port, or `ServerError` if what was handed over is no listening
  ///   socket.
  func adminServer(_ running: RunningLoops) throws -> AdminServer? {
    guard let address = try configuration.adminAddress() else {
      guard !configuration.showsRooms else {
        throw AdminError(description: "--inspect shows rooms on the admin port: name one by --admin.")
      }
      return nil
    }
    let token = try AdminToken.read(for: address, file: configuration.adminTokenFile)
    let server = configuration.adminServer(at: address, token: token)
    let logger = configuration.logger
    if !address.isLoopback, server.certificateFiles == nil {
      logger.log(.warning, "admin not encrypted", ["host": address.host])
    }
    let showsRooms = configuration.showsRooms || configuration.isDevelopment
    let routed = Dictionary(zip(routes.map(\.name), pages)) { first, _ in first }
    return AdminServer(
      server, logger: logger,
      storesSessions: configuration.keepsSessions,
      inspected: showsRooms ? InspectedRooms(pages: routed) : nil,
      pages: showsRooms ? try StaticFiles(root: configuration.publicFolder, routes: pages) : nil,
      environment: { [self] loop, ledger in
        var environment = environment(of: loop, logger, ledger)
        environment.authorize = { request, then in
          then(.visitor(Visitor(locales: AcceptLanguage.tags(in: request.headers["accept-language"]))))
        }
        return environment
      }, ask: running.ask)
  }
}

extension Configuration {
  /// Where the admin port listens: at the socket that was handed over for it, or where the settings say.
  ///
  /// - Returns: nil if there is to be none.
  /// - Throws: `ServerError` if what was handed over is no listening TCP socket.
  func adminAddress() throws(ServerError) -> AdminAddress? {
    guard let inheritedAdminSocket else { return admin }
    let (host, port) = try ServerConfiguration.address(ofInherited: inheritedAdminSocket)
    return AdminAddress(host: host, port: port)
  }

  /// The part that the admin port's socket needs.
  ///
  /// Elsewhere than on loopback it speaks TLS if the application's port does.
  func adminServer(at address: AdminAddress, token: String?) -> ServerConfiguration {
    var server = server
    (server.host, server.port, server.loops) = (address.host, address.port, 1)
    server.inheritedSockets = inheritedAdminSocket.map { [$0] } ?? []
    if address.isLoopback { server.certificateFiles = nil }
    server.gate = AccessGate(
      token: token, isGuarded: !address.isLoopback, isSecure: server.certificateFiles != nil)
    server.maxConnections = 256
    server.countsLoopback = true
    server.conformanceEcho = nil
    // What other sites' pages may do with the application's, they may not do with this.
    server.allowedOrigins = []
    // The inspector shows the application's pages in a frame, beside what only operators see: whatever these may do
    // elsewhere, here no text becomes code.
    server.securityHeaders.frameAncestors = ["'self'"]
    server.securityHeaders.requiresTrustedTypes = true
    (server.securityHeaders.trustedTypes, server.securityHeaders.scripts) = ([], [])
    server.securityHeaders.allowsWorkers = false
    // The application's own port has taken most of the time that a stop may take.
    (server.stopTimeout, server.stopGrace) = (.milliseconds(300), .zero)
    return server
  }
}
