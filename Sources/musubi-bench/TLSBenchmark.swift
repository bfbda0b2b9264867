// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// What TLS costs: a join by a whole handshake and by a ticket, beside a plain one; and the memory of an idle session.
///
/// The key is one of P-256, as browsers and authorities use them. `openssl speed` tells what one signature of such a key
/// takes on this machine: a whole handshake makes one.
enum TLSBenchmark {
  /// One row.
  struct Row: Encodable {
    let mode: String
    let handshake: String
    let perSecond: Double
    let spread: Double
    let serverMicroseconds: Double
    /// The same in signatures of `openssl speed`.
    let signatures: Double
  }

  private static let handshakes = [
    ("none", MUSUBI_PLAIN), ("TLS, by a ticket", MUSUBI_TLS_RESUMED), ("TLS, whole", MUSUBI_TLS),
  ]

  static func run(_ options: Options, _ report: Report) throws(BenchError) {
    let identity = try TestIdentity()
    defer { identity.remove() }
    var secure = options
    secure.identity = identity
    try joins(options, secure, report)
    try memory(secure, report)
    try events(secure, report)
  }

  /// Events of open connections, beside libwebsockets' own echo by TLS.
  private static func events(_ options: Options, _ report: Report) throws(BenchError) {
    var secure = options
    secure.servers = options.servers.filter { $0 != .epoll }
    var echoes: [Measurement] = []
    for inFlight in options.inFlight ?? [1, 16] {
      echoes += try Scenario(mode: .tls, active: 100, inFlight: inFlight).measure(secure)
    }
    var deliveries: [Measurement] = []
    for inFlight in options.inFlight ?? [1, 16] {
      deliveries += try Scenario(mode: .tls, active: 100, inFlight: inFlight, isFanOut: true).measure(secure)
    }
    for one in echoes where one.server == .musubi && one.inFlight == 1 {
      report.budget(
        "echo by TLS, 100 connections, 1 in flight: rate x libwebsockets", .atLeast, 0.9,
        reached: one.ratioToLibwebsockets)
    }
    for one in deliveries where one.server == .musubi && one.inFlight == 16 {
      report.budget(
        "fan-out by TLS, 100 connections, 16 in flight: rate x libwebsockets", .atLeast, 8,
        reached: one.ratioToLibwebsockets)
    }
    try report.measurements(
      "Event -> patch at the sender, by TLS: \(Measurement.sizes(echoes))", event: "events", echoes)
    try report.measurements(
      "Fan-out by TLS: \(Measurement.sizes(deliveries))", event: "deliveries", deliveries)
  }

  private static func joins(_ options: Options, _ secure: Options, _ report: Report) throws(BenchError) {
    let signature = try OpenSSL.microsecondsPerSignature()
    let scenario = Scenario(mode: .tls, active: options.connections?.first ?? 64)
    let plain = try ServerProcess(.musubi, options)
    defer { plain.stop() }
    let server = try ServerProcess(.musubi, secure)
    defer { server.stop() }
    var traffic = Traffic(server: .musubi, client: options.client, isAlone: true)
    var samples: [[Sample]] = handshakes.map { _ in [] }
    for turn in 0...options.repeatCount {
      for (index, (_, security)) in handshakes.enumerated() {
        traffic.security = security
        let sample = try Load.join(
          scenario, traffic, to: security == MUSUBI_PLAIN ? plain : server, .seconds(options.repeatSeconds))
        // The first one warms up.
        if turn > 0 { samples[index].append(sample) }
      }
    }
    let rows = zip(handshakes, samples).map { handshake, samples in
      let one = Measurement(scenario, .musubi, samples)
      return Row(
        mode: Mode.tls.rawValue, handshake: handshake.0, perSecond: one.perSecond, spread: one.spread,
        serverMicroseconds: one.serverMicrosecondsPerEvent,
        signatures: one.serverMicrosecondsPerEvent / signature)
    }
    for row in rows { try report.record(row) }
    report.budget(
      "join by TLS with a ticket: server CPU us", .atMost, 250, reached: rows[1].serverMicroseconds)
    try report.table(
      "Sessions joined by TLS 1.3; one signature of `openssl speed ecdsap256` takes "
        + "\(readable(signature, decimals: 1)) us",
      header: ["<handshake of TLS", "sessions/s", "spread", "server CPU us", "in signatures"],
      rows: rows.map {
        [
          $0.handshake, readable($0.perSecond), readable($0.spread * 100) + " %",
          readable($0.serverMicroseconds, decimals: 1), readable($0.signatures, decimals: 1),
        ]
      })
  }

  private static func memory(_ options: Options, _ report: Report) throws(BenchError) {
    let sessions = min(options.isQuick ? 2_500 : 5_000, options.maxConnections)
    let bytes = try MemoryBenchmark.bytesPerSession(.musubi, sessions: sessions, options)
    let name = "user memory of an idle session by TLS, \(sessions) sessions"
    report.find(.size, name, bytes)
    report.budget("\(name): bytes", .atMost, 20_000, reached: bytes)
    try report.table(
      "User memory of each idle session by TLS", header: ["sessions", "bytes each"],
      rows: [[readable(Double(sessions)), readable(bytes)]])
  }
}

/// A certificate of P-256 that signs itself, and its key, in a folder of its own.
struct TestIdentity {
  let certificate: String
  let key: String
  private let folder: URL

  /// Makes both.
  ///
  /// - Throws: `BenchError` without the command `openssl`.
  init() throws(BenchError) {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-bench-tls-\(getpid())")
    certificate = folder.appendingPathComponent("certificate.pem").path
    key = folder.appendingPathComponent("key.pem").path
    do { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) } catch {
      throw BenchError("cannot make \(folder.path): \(error.localizedDescription)")
    }
    _ = try OpenSSL.run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-out", certificate, "-keyout", key,
    ])
  }

  /// Removes both files.
  func remove() {
    do { try FileManager.default.removeItem(at: folder) } catch {
      print("\(folder.path) could not be removed: \(error)")
    }
  }
}

/// The command `openssl`.
enum OpenSSL {
  /// What one signature of a key of P-256 takes on one core.
  static func microsecondsPerSignature() throws(BenchError) -> Double {
    let output = try run(["speed", "-seconds", "1", "ecdsap256"])
    // 256 bits ecdsa (nistp256)   0.0000s   0.0001s  41000.5  13000.1
    let words = output.split(separator: "\n").last { $0.contains("nistp256") }?.split(separator: " ") ?? []
    guard let perSecond = words.dropLast().last.flatMap({ Double($0) }), perSecond > 0 else {
      throw BenchError("openssl speed says nothing of ecdsap256: \(output.suffix(200))")
    }
    return 1e6 / perSecond
  }

  /// Runs a subcommand to its end.
  ///
  /// - Returns: What it prints.
  /// - Throws: `BenchError` if it fails.
  static func run(_ arguments: [String]) throws(BenchError) -> String {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    (process.standardOutput, process.standardError) = (output, errors)
    do { try process.run() } catch { throw BenchError("cannot run openssl: \(error.localizedDescription)") }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("openssl failed: \(problem.suffix(400))") }
    return text
  }
}
