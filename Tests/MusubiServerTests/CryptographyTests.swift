// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import Testing

@testable import MusubiServer
@testable import MusubiSession

@Suite struct `Chance and hashes` {
  /// The examples of FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]) func `a hash is SHA-256`(text: String, hexadecimal: String) {
    let digits = Cryptography.sha256(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    #expect(digits.joined() == hexadecimal)
  }

  /// Pages keep the name, also over an update of the server.
  @Test func `a visitor's name is the beginning of a hash`() {
    let environment = LoopEnvironment(
      clock: { .zero }, wallClock: { 0 }, entropy: Cryptography.randomBytes, sha256: Cryptography.sha256)

    // base64url of the first 12 bytes of sha256("musubi.visitor:ann").
    #expect(environment.name(of: Visitor(id: "ann")) == "gGuTBxmx9IG9AjRk")
    #expect(environment.name(of: .anonymous) == "anonymous")
  }

  /// The beginning of RFC 5869, appendix A.3: neither salt nor purpose.
  @Test func `a derived key is HKDF's`() {
    let digits = Cryptography.derivedKey(from: Array(repeating: 0x0B, count: 22), for: "")
      .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    #expect(digits.joined() == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
  }

  /// The second case of RFC 4231.
  @Test func `an authentication code is HMAC's`() {
    let code = Cryptography.authenticationCode(
      of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    let digits = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    #expect(digits.joined() == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    #expect(Cryptography.areEqual(code, code.map { $0 }))
    #expect(!Cryptography.areEqual(code, code.dropLast()))
    #expect(!Cryptography.areEqual(code, code.dropLast() + [0x42]))
  }

  @Test func `random bytes are as many as were asked for, and others each time`() {
    #expect(Cryptography.randomBytes(0).isEmpty)
    #expect(Cryptography.randomBytes(300).count == 300)
    #expect(Cryptography.randomBytes(16) != Cryptography.randomBytes(16))
  }
}
