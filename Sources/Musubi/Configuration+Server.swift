// SPDX-License-Identifier: Apache-2.0
package import MusubiServer
import MusubiSession

extension Configuration {
  /// The part that the sockets need.
  var server: ServerConfiguration {
    var server = ServerConfiguration()
    server.host = host
    server.port = port
    server.inheritedSockets = inheritedSockets
    if let certificateFile, let keyFile {
      server.certificateFiles = CertificateFiles(certificate: certificateFile, key: keyFile)
    }
    server.hangUpAfter = deadAfter
    server.pingAfter = deadAfter * 2 / 3
    server.restartSpread = restartSpread
    server.decisionTimeout = identifyTimeout + .seconds(1)
    server.loops = loops ?? ProcessLimits.cores
    server.allowedOrigins = allowedOrigins
    server.allowedHosts = allowedHosts
    server.securityHeaders = contentSecurity.headers
    let messages = messagesPerSecond == nil ? nil : messagesPerAddress
    server.messageRatePerAddress = messages.map { MessageRate(perSecond: $0, burst: 5 * min($0, 1_000_000)) }
    server.trustedProxies = TrustedProxies(trustedProxies.compactMap { IPNetwork($0) })
    server.publicFolder = publicFolder
    server.isDevelopment = isDevelopment
    server.conformanceEcho = conformanceEcho
    server.countsLoopback = countsLoopback
    return server
  }

  /// The limits of a peer.
  var peerLimits: PeerLimits {
    var limits = PeerLimits()
    limits.connections = maxConnectionsPerPeer
    limits.rooms = maxRoomsPerPeer
    limits.requests = maxRequestsPerPeer
    limits.addressFactor = addressFactor
    limits.sessions = sessionsPerSecond.map {
      MessageRate(perSecond: $0, burst: sessionsAtOnce ?? 10 * min($0, 1_000_000))
    }
    return limits
  }

  /// The log that the settings ask for.
  package var logger: Logger {
    Logger(
      level: Logger.Level(rawValue: logLevel.rawValue) ?? .info,
      format: Logger.Format(rawValue: logFormat.rawValue) ?? .text)
  }
}
