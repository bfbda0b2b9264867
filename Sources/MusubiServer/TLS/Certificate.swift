// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// Where a certificate and its key lie, in PEM.
package struct CertificateFiles: Sendable, Equatable {
  /// The certificate, and behind it those that lead to its issuer.
  package var certificate: String
  /// The key, without a passphrase.
  package var key: String

  package init(certificate: String, key: String) {
    self.certificate = certificate
    self.key = key
  }

  /// How the files look now, which tells whether they have changed; nil for one that is not there.
  var stamps: [FileStamp?] { [FileStamp(ofFile: certificate), FileStamp(ofFile: key)] }
}

/// A certificate with its key and its chain, which fit together.
final class Certificate: Sendable {
  // `unsafe`: never changed, and OpenSSL counts its references by atomic operations.
  nonisolated(unsafe) let raw: OpaquePointer

  /// Reads and checks a pair; nothing shows it yet.
  ///
  /// - Parameter files: Where it lies.
  /// - Throws: `ServerError` with one sentence that names both files.
  init(_ files: CertificateFiles) throws(ServerError) {
    var problem = [CChar](repeating: 0, count: 256)
    guard let raw = musubi_certificate_load(files.certificate, files.key, &problem, problem.count) else {
      let text = String(decoding: problem.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw .badCertificate(files.certificate, key: files.key, reason: text)
    }
    self.raw = raw
  }

  deinit { musubi_certificate_free(raw) }
}

/// The part of TLS that all loops share: the certificate, and the keys that seal tickets.
struct TLSIdentity: Sendable {
  var certificate: Certificate
  /// Random bytes that no file holds; a ticket of one loop is good for all.
  var ticketKey = Self.randomKey()

  /// A key that nobody has seen.
  static func randomKey() -> [UInt8] { Cryptography.randomBytes(Int(musubi_ticket_key_bytes)) }
}
