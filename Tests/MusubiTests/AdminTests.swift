// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiServer
import Testing

@testable import Musubi

@Suite struct `The admin port` {
  @Test(
    arguments: [
      ("9090", "127.0.0.1", 9_090, true), ("127.0.0.2:1", "127.0.0.2", 1, true),
      ("0.0.0.0:0", "0.0.0.0", 0, false),
      ("[::1]:9090", "::1", 9_090, true), ("[::]:9090", "::", 9_090, false),
      ("localhost:7", "localhost", 7, true),
      ("192.0.2.1:9090", "192.0.2.1", 9_090, false),
    ] as [(String, String, UInt16, Bool)])
  func `is a port, on loopback unless an address says more`(
    text: String, host: String, port: UInt16, isLoopback: Bool
  ) throws {
    let configuration = try ServeCommand.configuration(from: [], environment: ["MUSUBI_ADMIN": text])
    let address = try #require(configuration.admin)

    #expect(address == AdminAddress(host: host, port: port))
    #expect(address.isLoopback == isLoopback)
  }

  @Test(arguments: [
    "", "127.0.0.1", "127.0.0.1:", ":9090", "::1:9090", "[::1]", "[::1]9090", "::1", "example.org:9090",
    "65536",
    "-1", "127.0.0.1:x",
  ])
  func `is refused if it has no port, or an address that is none`(text: String) throws {
    #expect(throws: CommandLineError.self) {
      try ServeCommand.configuration(from: ["--admin", text], environment: [:])
    }
  }

  @Test func `is off unless it is asked for`() throws {
    #expect(try ServeCommand.configuration(from: [], environment: [:]).admin == nil)
  }

  @Test func `speaks TLS only where others could listen`() {
    var configuration = Configuration()
    (configuration.certificateFile, configuration.keyFile) = ("a", "b")

    configuration.allowedOrigins = ["https://partner.example"]
    #expect(configuration.adminServer(at: AdminAddress(port: 1), token: nil).allowedOrigins == [])
    #expect(configuration.adminServer(at: AdminAddress(port: 1), token: nil).certificateFiles == nil)
    let elsewhere = AdminAddress(host: "0.0.0.0", port: 1)
    #expect(configuration.adminServer(at: elsewhere, token: "t").certificateFiles != nil)
  }
}

@Suite struct `The token of the admin port` {
  private let file = FileManager.default.temporaryDirectory.appending(path: "musubi-token-\(UUID())").path
  private let far = AdminAddress(host: "0.0.0.0", port: 1)

  private func read(_ text: String, mode: Int = 0o600, _ address: AdminAddress? = nil) throws -> String? {
    defer { unlink(file) }
    try Data(text.utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return try AdminToken.read(for: address ?? far, file: file)
  }

  @Test func `is the text of its file without the line's end`() throws {
    #expect(try read("0123456789abcdef\n") == "0123456789abcdef")
    #expect(try read("0123456789abcdef", mode: 0o400) == "0123456789abcdef")
  }

  @Test func `is needed on other addresses than loopback alone`() throws {
    #expect(try AdminToken.read(for: AdminAddress(port: 1), file: nil) == nil)
    let error = #expect(throws: AdminError.self) { try AdminToken.read(for: far, file: nil) }
    #expect(error?.description.contains("--admin-token") == true)
  }

  @Test(arguments: [
    "", "\n", "short", "0123456789 abcdef", "0123456789abcdef\n0123456789abcdef", "käseundbrotundwein",
  ])
  func `is refused if it could be guessed or is not one`(text: String) throws {
    let error = #expect(throws: AdminError.self) { try read(text) }
    #expect(error?.description.contains("has no token") == true)
  }

  @Test(arguments: [0o640, 0o604, 0o644, 0o620])
  func `is refused if others may read or write its file`(mode: Int) throws {
    for address in [far, AdminAddress(port: 1)] {
      let error = #expect(throws: AdminError.self) { try read("0123456789abcdef", mode: mode, address) }
      #expect(error?.description.contains("mode 0600") == true)
    }
  }

  @Test func `is refused if its file is missing`() throws {
    let error = #expect(throws: AdminError.self) { try AdminToken.read(for: far, file: file) }
    #expect(error?.description.contains("cannot be read: No such file") == true)
  }
}
