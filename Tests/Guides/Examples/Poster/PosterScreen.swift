// SPDX-License-Identifier: Apache-2.0
import Musubi

extension Application {
  mutating func addPoster() {
    configuration.contentSecurity.allow(
      images: ["https://tiles.example.org", "blob:"],
      connect: ["wss://quotes.example.org"],
      scripts: ["sha256-XxYQ5NywOn8SWIbCKAATXEdRCbtA0+Yh/LAg4fzO4i0="],
      trustedTypes: ["emphasis"])
    screen("poster", scope: .room, page: "poster.html") { context in PosterViewModel(context) }
    get("/poster/print") { _ in
      var response = Response.html(Self.printedPoster)
      var security = ContentSecurity()
      security.allowScripts(of: Self.printedPoster)
      security.allow(frameAncestors: ["'self'"])
      response.contentSecurity = security
      return response
    }
  }

  /// A page as a tool makes it, with a script inside.
  private static let printedPoster = """
    <!doctype html>
    <title>Printed</title>
    <p>Printed on <b id="day"></b></p>
    <script>document.querySelector("#day").textContent = new Date().toDateString();</script>
    """
}
