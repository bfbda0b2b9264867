// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets
import Glibc

/// A libwebsockets context on a libev loop: no listening socket of its own, one vhost.
///
/// Lives on one thread at a time. Several may be created and destroyed at once: the shim lets one go after the other.
final class LWSContext {
  private let raw: OpaquePointer

  /// Creates a context.
  ///
  /// - Parameters:
  ///   - loop: The loop that drives it; it outlives the context.
  ///   - configuration: Deadlines and limits.
  ///   - subprotocol: The WebSocket subprotocol.
  ///   - identity: The certificate that TLS shows; nil: connections are plain.
  /// - Throws: `ServerError` if the library refuses.
  init(loop: LibevLoop, configuration: ServerConfiguration, subprotocol: String, identity: TLSIdentity?)
    throws(ServerError)
  {
    let created: OpaquePointer? = subprotocol.withCString { name in
      var settings = musubi_context_settings()
      settings.callback = lwsCallback
      settings.subprotocol = name
      settings.header_bytes = UInt32(clamping: configuration.maxHeaderBytes)
      settings.handshake_seconds = configuration.handshakeTimeout.wholeSeconds
      settings.keepalive_seconds = configuration.keepAliveTimeout.wholeSeconds
      settings.certificate = identity?.certificate.raw
      return musubi_context_create(loop.raw, &settings)
    }
    guard let created else {
      throw .cannotStart("libwebsockets gives no context; is the package libwebsockets-evlib-ev installed?")
    }
    raw = created
    if let identity { musubi_context_set_ticket_key(raw, identity.ticketKey) }
  }

  /// Shows another certificate from the next handshake on, and seals tickets by the identity's key.
  ///
  /// - Parameter identity: The certificate and the key.
  /// - Returns: Whether OpenSSL takes it; else all stays as it is.
  func use(_ identity: TLSIdentity) -> Bool {
    guard musubi_context_use_certificate(raw, identity.certificate.raw) != 0 else { return false }
    musubi_context_set_ticket_key(raw, identity.ticketKey)
    return true
  }

  /// Takes an accepted socket over.
  ///
  /// - Parameters:
  ///   - descriptor: The socket; the library closes it, also if this fails.
  ///   - connection: Who hears what happens; the library borrows it, the caller keeps it until `destroyed`.
  /// - Returns: The library's socket, or nil if the library refuses it.
  func adopt(_ descriptor: Int32, for connection: Connection) -> LWSSocket? {
    musubi_context_adopt(raw, descriptor, connection.opaque).map(LWSSocket.init)
  }

  /// Ends all connections and the context; nothing may be called afterwards.
  func destroy() { musubi_context_destroy(raw) }
}

extension Duration {
  fileprivate var wholeSeconds: UInt32 { UInt32(clamping: max(1, Int64(inSeconds.rounded(.up)))) }
}
