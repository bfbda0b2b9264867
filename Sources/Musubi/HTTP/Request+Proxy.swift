// SPDX-License-Identifier: Apache-2.0
import MusubiServer

extension Request {
  /// What a proxy that logs people in says of who sends the request.
  ///
  /// So companies put OpenID Connect in front of an application:
  ///
  /// ```swift
  /// application.identifyVisitors { request in
  ///   guard let user = request.proxyUser("x-forwarded-email") else { throw Denied("Please come by the front door.") }
  ///   return Visitor(id: user, validFor: .seconds(600))
  /// }
  /// ```
  ///
  /// The field is there only if the socket's other end is a proxy that `--trust-proxy` names (`Configuration.trustedProxies`);
  /// from anybody else the server does not read it. The proxy must write the field itself, and drop what its visitors send.
  ///
  /// - Parameter header: The header field's name in lower case: `x-forwarded-user`, `x-forwarded-email`,
  ///   `x-forwarded-groups` or `x-forwarded-preferred-username`, the same with `x-auth-request-` in front; or `remote-user`,
  ///   `remote-name`, `remote-email` or `remote-groups`.
  /// - Returns: What it says; nil if it says nothing, or there is no trusted proxy.
  public func proxyUser(_ header: String = "x-forwarded-user") -> String? {
    precondition(
      TrustedProxies.userHeaders.contains(header), "proxyUser(_:) does not read the header field \(header).")
    return headers[header]
  }
}
