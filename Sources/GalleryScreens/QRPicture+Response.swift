// SPDX-License-Identifier: Apache-2.0
import Musubi

extension QRPicture {
  /// As many bytes as the name of a server has (RFC 1035), with its port.
  private static let maxHostBytes = 261

  /// The picture of a page's address.
  ///
  /// - Parameters:
  ///   - request: It says how a browser calls this server, so that a phone finds it, too.
  ///   - path: Where the page is, with its parameters.
  /// - Returns: The picture, which a browser may keep for an hour.
  /// - Throws: `HTTPError` 400 if the request does not say it, or is too long.
  static func response(to request: Request, path: String) throws -> Response {
    guard let host = request.headers["host"], !host.isEmpty, host.utf8.count <= maxHostBytes,
      let picture = QRPicture(of: "\(request.isSecure ? "https" : "http")://\(host)\(path)")
    else { throw HTTPError(400, "The request does not say how this server is called. 要求にサーバーの名前がありません。") }
    var response = Response.data(Array(picture.svg.utf8), type: "image/svg+xml")
    response.headers["Cache-Control"] = "private, max-age=3600"
    return response
  }
}
