// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Testing

@testable import Musubi

@Suite(.timeLimit(.minutes(5))) struct `What pages may load` {
  static let hash = "sha256-" + String(repeating: "A", count: 43) + "="

  private func problem(_ allow: (inout ContentSecurity) -> Void) -> String? {
    var security = ContentSecurity()
    allow(&security)
    do { try security.check() } catch { return error.description }
    return nil
  }

  @Test func `is nothing foreign at first, and single sources that are named`() {
    #expect(problem { _ in } == nil)
    #expect(
      problem {
        $0.allow(
          images: [
            "https://tiles.example.org", "https://*.tiles.example.org", "http://127.0.0.1:8081", "blob:",
          ],
          connect: ["wss://quotes.example.org:8443", "https://api.example.org"], fonts: ["data:"],
          frameAncestors: ["'self'", "https://intranet.example.org"],
          scripts: [
            Self.hash, "sha384-" + String(repeating: "b", count: 64),
            "sha512-" + String(repeating: "/", count: 86) + "==",
          ], trustedTypes: ["leaflet", "lit-html", "a#=_/@.%"])
      } == nil)
  }

  @Test(arguments: [
    "*", "https:", "https://", "https://*", "https://*.org", "https://*.*.org", "data:", "'unsafe-inline'",
    "'none'", "blob: *",
    "https://a.example; script-src *", "https://a.example https://b.example", "https://a.example,b",
    "https://a.example/path",
    "https://a.example:", "https://a.example:0", "https://a.example:+1", "https://a.example:99999",
    "https://a..example", "a.example",
    "ftp://a.example", "HTTPS://a.example", "https://a.example\r\nSet-Cookie: a=b", "",
    "https://bücher.example",
  ])
  func `is no source that opens more than itself`(source: String) {
    #expect(
      problem { $0.allow(images: ["https://right.example", source]) }
        == "contentSecurity.allow(images:) cannot take \"\(source)\": it takes an origin such as https://example.org, without a "
        + "path, or blob:.")
    #expect(
      problem { $0.allow(connect: [source]) }?.contains("such as wss://example.org, without a path.") == true)
    #expect(problem { $0.allow(frameAncestors: [source]) }?.hasSuffix("without a path, or 'self'.") == true)
    if source != "data:" {
      #expect(problem { $0.allow(fonts: [source]) }?.hasSuffix("without a path, or data:.") == true)
    }
  }

  @Test(arguments: [
    "'unsafe-inline'", "'unsafe-eval'", "'strict-dynamic'", "https://cdn.example", "sha256-AAAA",
    hash + "'; *", "'" + hash + "'",
    "nonce-abc", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=", "", "*",
  ])
  func `is no script but one that a hash names`(script: String) {
    #expect(
      problem { $0.allow(scripts: [script]) }?.hasPrefix(
        "contentSecurity.allow(scripts:) cannot take \"\(script.prefix(80))\": an inline script is allowed by its hash alone"
      )
        == true)
  }

  @Test(arguments: ["*", "'allow-duplicates'", "", "a b", "a;b", "ü", "default"])
  func `is no policy that takes every text`(name: String) {
    #expect(
      problem { $0.allow(trustedTypes: ["leaflet", name]) }?.hasPrefix(
        "contentSecurity.allow(trustedTypes:) cannot take \"\(name)\": ") == true)
  }

  @Test func `is a page's own inline scripts, by their hashes`() throws {
    var security = ContentSecurity()

    security.allowScripts(
      of: #"<p>a</p><script>var baseUrl = "/docs/"</script><script src="/a.js"></script><script>alert(1)"#)

    // printf 'var baseUrl = "/docs/"' | openssl dgst -sha256 -binary | base64
    #expect(security.headers.scripts == ["'sha256-77EWPyjUT2bZILT2rauaG3kt/w83/XPAfBGN/zpoqgs='"])
    try security.check()
  }

  @Test func `is a page's inline scripts of every kind, however their tags are written`() {
    var security = ContentSecurity()

    security.allowScripts(
      of: #"""
        <!-- <script>commented()</script> -->
        <title><script>titled()</script></title>
        <SCRIPT>b()</Script
        ><script type="module" nonce='a>b'>c()</script>
        <script src>d()</script><script type=module src=/e.js>e()</script>
        <script type="importmap">{"imports": {}}</script><script type="application/json">[1]</script>
        """#)

    // printf 'b()' | openssl dgst -sha256 -binary | base64, and so on
    #expect(
      security.headers.scripts == [
        "'sha256-cf242PFc/kb7xD0Qzhsmd9vvRkc+cWFmbi+k+YvtdKc='",
        "'sha256-uv6BXxguRKhBqgeOtcyTvppA2Vttceh37dUo7xwS8Ug='",
        "'sha256-CJt/FpW3RQlGvqBeO/YK74xrTm1ctS6rLMJu1bV4fMc='",
        "'sha256-CAqe1ChVnvYCZotMAPEU8aEcP2sCpDXwvcFUV45NfyI='",
      ])
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `is a script with any ends of lines, which a browser reads as one`(end: String) {
    var security = ContentSecurity()
    let page = "<p>a</p>\n<script>let a = 1;\nlet b = \"</scripts>\";\n</script>\n"

    security.allowScripts(of: page.replacing("\n", with: end))

    // printf 'let a = 1;\nlet b = "</scripts>";\n' | openssl dgst -sha256 -binary | base64
    #expect(security.headers.scripts == ["'sha256-BsOL9TeXwFUJuCeviQ6uM5c2KqvFVpYOv9cENvSqYTU='"])
  }

  @Test func `is a response's own, and an error of the program if it opens everything`() async {
    var application = Application()
    application.get("/open") { _ in
      var response = Response.text("")
      response.contentSecurity = ContentSecurity()
      response.contentSecurity?.allow(images: ["*"])
      return response
    }
    application.get("/own") { _ in
      var response = Response.text("")
      response.contentSecurity = ContentSecurity()
      response.contentSecurity?.requiresTrustedTypes = false
      return response
    }

    #expect(await application.respond(to: Request("/open")).status == 500)
    let response = await application.respond(to: Request("/own"))
    #expect(response.status == 200)
    #expect(response.contentSecurity?.requiresTrustedTypes == false)
  }
}
