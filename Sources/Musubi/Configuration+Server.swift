// SPDX-License-Identifier: Apache-2.0
import MusubiServer

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
    server.loops = loops ?? ProcessLimits.cores
    server.allowedOrigins = allowedOrigins
    server.allowedHosts = allowedHosts
    if messagesPerSecond == nil { server.messageRatePerAddress = nil }
    server.publicFolder = publicFolder
    server.isDevelopment = isDevelopment
    server.conformanceEcho = conformanceEcho
    return server
  }

  /// The log that the settings ask for.
  var logger: Logger {
    Logger(
      level: Logger.Level(rawValue: logLevel.rawValue) ?? .info,
      format: Logger.Format(rawValue: logFormat.rawValue) ?? .text)
  }
}
