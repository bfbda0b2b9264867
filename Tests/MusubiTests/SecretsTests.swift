// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import Musubi
import MusubiServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Sealed values` {
  private struct Login: Codable, Equatable {
    var id: String
    var level: Int
  }

  private static let login = Login(id: "ada", level: 3)

  @Test func `come back as they were, and say nothing of themselves`() throws {
    let secrets = Secrets()

    let text = try secrets.seal(Self.login, for: "login", validFor: .seconds(60))

    #expect(secrets.open(text, as: Login.self, for: "login") == Self.login)
    #expect(
      text.utf8.allSatisfy { Character(UnicodeScalar($0)).isLetter || "0123456789-_".utf8.contains($0) })
    let again = try secrets.seal(Self.login, for: "login", validFor: .seconds(60))
    #expect(again != text)
    #expect(!text.contains("ada") && secrets.open(nil, as: Login.self, for: "login") == nil)
    #expect(
      secrets.open(try secrets.seal("x", for: "a", validFor: .seconds(1)), as: String.self, for: "a") == "x")
  }

  @Test func `open for their own name and type alone`() throws {
    let secrets = Secrets()
    let text = try secrets.seal(Self.login, for: "login", validFor: .seconds(60))

    #expect(secrets.open(text, as: Login.self, for: "admin") == nil)
    #expect(secrets.open(text, as: Login.self, for: "logi") == nil)
    #expect(secrets.open(text, as: Int.self, for: "login") == nil)
    #expect(Secrets().open(text, as: Login.self, for: "login") == nil)
  }

  @Test func `do not open with one bit changed, cut, or longer`() throws {
    let secrets = Secrets()
    let text = try secrets.seal(Self.login, for: "login", validFor: .seconds(60))
    let padding = String(repeating: "=", count: (4 - text.count % 4) % 4)
    let bytes = try #require(
      Data(base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding))

    for place in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[place] ^= 1 << bit
        let forged = changed.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
          .replacing("=", with: "")
        #expect(secrets.open(forged, as: Login.self, for: "login") == nil, "bit \(bit) of byte \(place)")
      }
    }
    for count in 0..<text.count {
      #expect(secrets.open(String(text.prefix(count)), as: Login.self, for: "login") == nil)
    }
    for other in ["", "-", "=", "é", text + "A", text + "AAAA", String(repeating: "A", count: 100_000)] {
      #expect(secrets.open(other, as: Login.self, for: "login") == nil)
    }
  }

  @Test func `end when their time is over`() throws {
    let now = Mutex(1_000.0)
    let secrets = Secrets(clock: { now.withLock { $0 } })
    let text = try secrets.seal(Self.login, for: "login", validFor: .seconds(60))

    now.withLock { $0 = 1_059 }
    #expect(secrets.open(text, as: Login.self, for: "login") == Self.login)
    now.withLock { $0 = 1_060 }
    #expect(secrets.open(text, as: Login.self, for: "login") == nil)
  }

  @Test func `open by an older key, and are sealed by the newest`() throws {
    let (old, new) = (
      Array("old-old-old-old-old-old-old-old-".utf8), Array("new-new-new-new-new-new-new-new-".utf8)
    )
    let before = Secrets([old])
    let after = Secrets([new, old])
    let last = Secrets([new])

    let text = try before.seal(Self.login, for: "login", validFor: .seconds(60))
    let later = try after.seal(Self.login, for: "login", validFor: .seconds(60))

    #expect(after.open(text, as: Login.self, for: "login") == Self.login)
    #expect(last.open(text, as: Login.self, for: "login") == nil)
    #expect(last.open(later, as: Login.self, for: "login") == Self.login)
    #expect(before.open(later, as: Login.self, for: "login") == nil)
  }

  @Test func `are refused where a cookie has no room for them`() throws {
    let secrets = Secrets()

    let error = #expect(throws: SealError.self) {
      try secrets.seal(String(repeating: "x", count: 3_000), for: "basket", validFor: .seconds(1))
    }
    var response = Response.text("")
    response.setCookie(
      "basket", try secrets.seal(String(repeating: "x", count: 2_900), for: "basket", validFor: .seconds(1)))

    #expect(error?.description.contains("keep the value on the server") == true)
    #expect(throws: Never.self) { try response.fields(isSecure: true) }
  }

  @Test func `keep the published test case of AES-256-GCM`() throws {
    // Test case 14 of "The Galois/Counter Mode of Operation": a block of zeros.
    let (key, nonce) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 12))

    let sealed = Cryptography.sealed([UInt8](repeating: 0, count: 16), key: key, nonce: nonce, beside: [])

    let digits = sealed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(digits == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
  }
}

@Suite(.timeLimit(.minutes(5))) struct `The file of keys` {
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    try body(folder)
  }

  private func problem(_ path: String) -> String? {
    do throws(SecretFileError) {
      _ = try SecretFile.keys(in: path, Logger(sink: { _ in }))
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `is made once, for its owner alone, and the log tells`() throws {
    try withFolder { folder in
      let lines = Mutex<[String]>([])
      let logger = Logger(sink: { line in lines.withLock { $0.append(line) } })

      let first = try SecretFile.keys(in: folder + "/secrets", logger)
      let second = try SecretFile.keys(in: folder + "/secrets", logger)

      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/secrets")[.posixPermissions]
      #expect(first == second && first.count == 1 && first[0].count == 64)
      #expect(mode as? Int == 0o600)
      let told = lines.withLock { $0 }
      #expect(told.count == 1 && told[0].contains("secret file made"))
    }
  }

  @Test func `has the newest key first`() throws {
    try withFolder { folder in
      let path = folder + "/secrets"
      let keys = [String(repeating: "n", count: 32), String(repeating: "o", count: 40)]
      try (keys.joined(separator: "\n") + "\n\n").write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)

      #expect(try SecretFile.keys(in: path, Logger(sink: { _ in })) == keys.map { Array($0.utf8) })
    }
  }

  @Test func `is refused with a sentence if it is not as it has to be`() throws {
    try withFolder { folder in
      let path = folder + "/secrets"
      try String(repeating: "n", count: 32).write(toFile: path, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
      #expect(problem(path)?.contains("can be read by others than its owner; give it the mode 0600") == true)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      try "short".write(toFile: path, atomically: false, encoding: .utf8)
      #expect(problem(path)?.contains("openssl rand -hex 32") == true)
      try "".write(toFile: path, atomically: false, encoding: .utf8)
      #expect(problem(path)?.contains("has no keys") == true)
      #expect(problem(folder + "/none/secrets")?.contains("cannot be made") == true)
      #expect(problem(folder)?.contains("of --secret-file") == true)
    }
  }
}
