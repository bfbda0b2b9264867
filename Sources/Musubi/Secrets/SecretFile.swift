// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiServer

/// Why the file of `--secret-file` cannot be used, as one sentence for the operator.
public struct SecretFileError: Error, Equatable, CustomStringConvertible {
  /// One sentence.
  public let description: String
}

/// The file with the keys by which values are sealed: the newest in the first line, older ones below.
enum SecretFile {
  /// A key of so many characters has 128 bits in hexadecimal digits, and more in others.
  private static let minBytes = 32

  /// Reads the keys, and makes the file if it is missing.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - logger: Is told if the file was made.
  /// - Returns: The keys, at least one.
  /// - Throws: `SecretFileError` if the file is not as it has to be.
  static func keys(in path: String, _ logger: Logger) throws(SecretFileError) -> [[UInt8]] {
    if try make(path) {
      logger.log(.info, "secret file made", ["file": path])
    }
    let text: String
    do throws(PrivateFile.Problem) { text = try PrivateFile.read(path) } catch {
      throw problem(path, error.reason)
    }
    let keys = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
    let areKeys = keys.allSatisfy { key in
      key.utf8.count >= minBytes && key.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
    guard !keys.isEmpty, areKeys else {
      throw problem(
        path,
        "has no keys: each line is one of at least \(minBytes) characters of ASCII without spaces, as from "
          + "openssl rand -hex 32, the newest first")
    }
    return keys.map { Array($0.utf8) }
  }

  /// Makes a file with a key, if there is none.
  ///
  /// - Returns: Whether it was made.
  private static func make(_ path: String) throws(SecretFileError) -> Bool {
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      guard errno == EEXIST else {
        throw problem(path, "cannot be made: \(String(cString: strerror(errno)))")
      }
      return false
    }
    defer { close(descriptor) }
    let digits = Cryptography.randomBytes(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let line = Array((digits + "\n").utf8)
    guard Glibc.write(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
      let reason = String(cString: strerror(errno))
      // Half a key would be taken for one.
      unlink(path)
      throw problem(path, "cannot be written: \(reason)")
    }
    return true
  }

  private static func problem(_ path: String, _ reason: String) -> SecretFileError {
    SecretFileError(description: "The file \"\(path.prefix(80))\" of --secret-file \(reason).")
  }
}

extension Secrets {
  /// Takes the keys that a configuration names, if the program seals anything or an operator has named a file.
  ///
  /// - Parameters:
  ///   - configuration: Names the file or the folder.
  ///   - shared: The secret of several servers, any of which gets what another one has sealed; nil if there is one.
  ///   - logger: Is told what an operator should know.
  /// - Throws: `SecretFileError` if the file is not as it has to be.
  func useKeys(
    of configuration: Configuration, sharing shared: [UInt8]? = nil, _ logger: Logger
  ) throws(SecretFileError) {
    if let shared, configuration.secretFile == nil {
      return use([Cryptography.derivedKey(from: shared, for: "musubi cluster keys 1")])
    }
    if let path = configuration.secretFile ?? configuration.dataFolder.map({ $0 + "/secrets" }) {
      guard isUsed || configuration.secretFile != nil else { return }
      return use(try SecretFile.keys(in: path, logger))
    }
    guard isUsed else { return }
    logger.log(
      .warning, "secrets end with the process",
      [
        "message":
          "sealed cookies are void after a restart; name a file by --secret-file, or a folder by --data"
      ])
  }
}

/// A small file that nobody but its owner may read.
enum PrivateFile {
  /// Why it is not read, as the end of a sentence.
  struct Problem: Error {
    let reason: String
  }

  /// Reads the file.
  ///
  /// - Parameter path: The file.
  /// - Returns: Its text, as far as 4,096 bytes.
  /// - Throws: `Problem` if it cannot be read, or others can read it.
  static func read(_ path: String) throws(Problem) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Problem(reason: "cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & 0o077 == 0 else {
      throw Problem(reason: "can be read by others than its owner; give it the mode 0600")
    }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw Problem(reason: "cannot be read: \(String(cString: strerror(errno)))") }
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}
