// SPDX-License-Identifier: Apache-2.0
import Musubi

/// The picture by which players join a quiz: the QR code of its address.
enum QuizPicture {
  /// As many bytes as the name of a server has (RFC 1035), with its port.
  private static let maxHostBytes = 261

  static func add(to application: inout Application) {
    application.get("/quiz/code.svg") { request in
      guard let room = request.query["room"], room.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else {
        throw HTTPError(404, "No quiz has this address.")
      }
      // As the browser calls this server, so that a phone finds it, too.
      guard let host = request.headers["host"], !host.isEmpty, host.utf8.count <= maxHostBytes,
        let picture = QRPicture(of: "\(request.isSecure ? "https" : "http")://\(host)/quiz?room=\(room)")
      else { throw HTTPError(400, "The request does not say how this server is called.") }
      var response = Response.data(Array(picture.svg.utf8), type: "image/svg+xml")
      response.headers["Cache-Control"] = "private, max-age=3600"
      return response
    }
  }
}
