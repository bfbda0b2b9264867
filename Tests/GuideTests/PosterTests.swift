// SPDX-License-Identifier: Apache-2.0
import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A poster` {
  /// What the start of a program says whose pages may load something.
  private func refusal(_ allow: (inout ContentSecurity) -> Void) async -> String? {
    var application = Application()
    allow(&application.configuration.contentSecurity)
    do { try await application.serve() } catch { return "\(error)" }
    return nil
  }

  @Test func `loads nothing from everywhere`() async {
    #expect(
      await refusal { $0.allow(images: ["*"]) }
        == #"contentSecurity.allow(images:) cannot take "*": it takes an origin such as https://example.org, "#
        + "without a path, or blob:.")
    #expect(
      await refusal { $0.allow(connect: ["https://example.org/prices"]) }
        == #"contentSecurity.allow(connect:) cannot take "https://example.org/prices": it takes an origin such as "#
        + "wss://example.org, without a path.")
  }

  @Test func `runs no script that nobody has named`() async {
    #expect(
      await refusal { $0.allow(scripts: ["'unsafe-inline'"]) }
        == #"contentSecurity.allow(scripts:) cannot take "'unsafe-inline'": an inline script is allowed by its hash "#
        + "alone, such as sha256-… with 32 bytes in base64; put a longer one into a file of the folder with the pages."
    )
    #expect(
      await refusal { $0.allow(trustedTypes: ["default"]) }
        == #"contentSecurity.allow(trustedTypes:) cannot take "default": the default policy is asked for every text, "#
        + "and so opens the page to all of them; name the widget's own.")
  }

  @Test func `hears of what browsers have refused, and keeps few`() throws {
    let screen = try TestScreen(query: [:], visitor: .anonymous) { PosterViewModel($0) }

    for number in 1...4 { try screen.send("img-src https://\(number).example", to: "refused") }

    #expect(screen["refusals"]?.contains("https://1.example") == false)
    #expect(screen["refusals"]?.contains("https://4.example") == true)
  }
}
