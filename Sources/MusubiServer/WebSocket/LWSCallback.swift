// SPDX-License-Identifier: Apache-2.0
import CLibwebsockets

/// Translates what the library reports into calls of a socket's connection.
///
/// A free, nonisolated function, because the library calls it on the loops' threads.
nonisolated func lwsCallback(
  _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ bytes: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
  // The context itself reports with a socket that has no connection.
  guard let wsi, let opaque = lws_get_opaque_user_data(wsi) else { return 0 }
  let connection = Connection.at(opaque)
  let socket = LWSSocket(wsi)
  switch reason {
  case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_HTTP_WRITEABLE:
    return connection.writable(socket).code
  case LWS_CALLBACK_HTTP:
    return connection.requested(socket).code
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
    return connection.upgradeRequested(socket).code
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return connection.isUpgradeAllowed() ? 0 : -1
  case LWS_CALLBACK_ESTABLISHED:
    connection.handshakeAnswered()
  case LWS_CALLBACK_CLOSED:
    connection.closed()
  case LWS_CALLBACK_WSI_DESTROY:
    connection.destroyed()
  case LWS_CALLBACK_RECEIVE:
    // The library reads nothing of an open WebSocket.
    return -1
  case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_RX:
    // The method CONNECT would become a raw connection without deadlines.
    return -1
  case LWS_CALLBACK_HTTP_BODY:
    return connection.received(body: UnsafeRawBufferPointer(start: bytes, count: count)).code
  case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    return connection.bodyCompleted().code
  default:
    break
  }
  return 0
}

extension LWSVerdict {
  fileprivate var code: Int32 { self == .keep ? 0 : -1 }
}
