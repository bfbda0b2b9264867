// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding

/// A file that a test sends: its bytes are in memory until somebody takes them.
struct TestFile: UploadedBytes {
  let contents: [UInt8]

  func bytes() -> [UInt8] { contents }

  func take(to destination: String, _ sha256: String) throws {
    try Data(contents).write(to: URL(filePath: destination), options: .atomic)
  }

  /// The SHA-256 in hexadecimal digits.
  ///
  /// - Note: FIPS 180-4, section 6.2. The one of the server is a C library's, which tests of ViewModels do without.
  var sha256: String {
    var state: [UInt32] = Self.fractions(ofRoot: 2, count: 8)
    let constants = Self.fractions(ofRoot: 3, count: 64)
    var padded = contents + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(contents.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }
    for start in stride(from: 0, to: padded.count, by: 64) {
      var words = (0..<16).map { word in
        (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[start + 4 * word + $1]) }
      }
      for index in 16..<64 {
        let (early, late) = (words[index - 15], words[index - 2])
        let first = Self.rotated(early, 7) ^ Self.rotated(early, 18) ^ early >> 3
        let second = Self.rotated(late, 17) ^ Self.rotated(late, 19) ^ late >> 10
        words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
      }
      var turn = state
      for index in 0..<64 {
        let (a, e) = (turn[0], turn[4])
        let choice = e & turn[5] ^ ~e & turn[6]
        let first =
          turn[7] &+ (Self.rotated(e, 6) ^ Self.rotated(e, 11) ^ Self.rotated(e, 25)) &+ choice
          &+ constants[index] &+ words[index]
        let majority = a & turn[1] ^ a & turn[2] ^ turn[1] & turn[2]
        let second = (Self.rotated(a, 2) ^ Self.rotated(a, 13) ^ Self.rotated(a, 22)) &+ majority
        turn = [first &+ second] + turn.dropLast()
        turn[4] = turn[4] &+ first
      }
      for index in 0..<8 { state[index] = state[index] &+ turn[index] }
    }
    return state.map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }.joined()
  }

  private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractions of the primes' square or cube roots.
  private static func fractions(ofRoot degree: Double, count: Int) -> [UInt32] {
    let primes = (2...).lazy.filter { number in !(2..<number).contains { number % $0 == 0 } }.prefix(count)
    return primes.map { prime in
      let root = pow(Double(prime), 1 / degree)
      return UInt32((root - root.rounded(.down)) * 0x1p32)
    }
  }
}
