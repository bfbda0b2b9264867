// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import Musubi

/// The picture by which players join a quiz: the QR code of its address.
enum QuizPicture {
  /// As many bytes as the name of a server has (RFC 1035), with its port.
  private static let maxHostBytes = 261

  static func add(to application: inout Application) {
    application.get("/quiz/code.svg") { request in
      guard let code = request.query["room"], QuizScene.isCode(code) else {
        throw HTTPError(404, "The code of a quiz has 8 digits.")
      }
      // As the browser calls this server, so that a phone finds it, too.
      guard let host = request.headers["host"], !host.isEmpty, host.utf8.count <= maxHostBytes,
        let picture = QRPicture(of: "\(request.isSecure ? "https" : "http")://\(host)/quiz?room=\(code)")
      else { throw HTTPError(400, "The request does not say how this server is called.") }
      var response = Response.data(Array(picture.svg.utf8), type: "image/svg+xml")
      response.headers["Cache-Control"] = "private, max-age=3600"
      return response
    }
  }
}
