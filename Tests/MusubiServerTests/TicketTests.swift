// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import Testing

@testable import MusubiServer

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Tickets of TLS` {
  @Test func `are good on each loop until the key changes, and then cost one whole handshake`() async throws {
    let folder = try TemporaryFolder()
    let files = CertificateFiles(certificate: folder.path + "/cert.pem", key: folder.path + "/key.pem")
    _ = try openssl([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
      "-subj", "/CN=localhost", "-out", files.certificate, "-keyout", files.key,
    ])
    let change: (inout ServerConfiguration) -> Void = {
      $0.certificateFiles = files
      $0.loops = 2
    }
    try await LiveServer.with(change) { (live: LiveServer) async throws -> Void in
      func handshake(keeping ticket: String, showing shown: String? = nil) throws -> String {
        let answer = try openssl(
          [
            "s_client", "-connect", "127.0.0.1:\(live.port)", "-ign_eof", "-sess_out",
            folder.path + "/" + ticket,
          ]
            + (shown.map { ["-sess_in", folder.path + "/" + $0] } ?? []),
          input: "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return answer.contains("Reused, TLSv1.3")
          ? "resumed" : answer.contains("New, TLSv1.3") ? "whole" : answer
      }
      // Each connection meets one of the loops by chance.
      func eight(showing shown: String) throws -> Set<String> {
        Set(try (0..<8).map { _ in try handshake(keeping: "unused", showing: shown) })
      }

      #expect(try handshake(keeping: "yesterday") == "whole")
      #expect(try eight(showing: "yesterday") == ["resumed"])

      live.server.changeTicketKey()
      // All loops have it when they answer.
      _ = await live.server.statistics()

      #expect(try handshake(keeping: "today", showing: "yesterday") == "whole")
      #expect(try eight(showing: "yesterday") == ["whole"])
      #expect(try eight(showing: "today") == ["resumed"])
    }
  }

  @Test func `get another key once a day`() async throws {
    let (seconds, days, changes) = (Count(), Count(), Count())
    let watcher = CertificateWatcher(
      files: CertificateFiles(certificate: "/nowhere", key: "/nowhere"), onChange: { _ = changes.next() },
      onDay: { _ = days.next() }, pause: { seconds.next() < 86_400 * 3 })

    await watcher.run()

    #expect(days.next() == 3)
    #expect(changes.next() == 1)
  }
}

/// Counts from 1, on any thread.
private final class Count: Sendable {
  private let number = Mutex(0)

  func next() -> Int {
    number.withLock { number in
      number += 1
      return number
    }
  }
}

/// Runs the command `openssl`; what it prints.
func openssl(_ arguments: [String], input: String = "") throws -> String {
  try output(of: "openssl", arguments, input: input)
}

/// Runs a command; what it prints.
func output(of command: String, _ arguments: [String], input: String = "") throws -> String {
  let process = Process()
  let (into, output) = (Pipe(), Pipe())
  process.executableURL = URL(fileURLWithPath: "/usr/bin/" + command)
  process.arguments = arguments
  (process.standardInput, process.standardOutput, process.standardError) = (
    into, output, FileHandle.nullDevice
  )
  try process.run()
  try into.fileHandleForWriting.write(contentsOf: Data(input.utf8))
  try into.fileHandleForWriting.close()
  let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  return text
}
