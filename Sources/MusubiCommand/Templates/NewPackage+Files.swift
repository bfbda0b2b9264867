// SPDX-License-Identifier: Apache-2.0
import Musubi

// The files that are the same in all styles.
extension NewPackage {
  var manifest: String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    let package = Package(
      name: "\(name.module)",
      dependencies: [
        \(source.dependency)
      ],
      targets: [
        .executableTarget(
          name: "\(name.module)",
          dependencies: [
            .product(name: "Musubi", package: "\(source.identity)"),
            .product(name: "MusubiRx", package: "\(source.identity)"),
          ]),
        .testTarget(
          name: "\(name.module)Tests",
          dependencies: [
            "\(name.module)",
            .product(name: "MusubiTesting", package: "\(source.identity)"),
          ]),
      ]
    )

    """
  }

  var main: String {
    """
    import Musubi

    var application = Application()
    // Everybody who opens the page shares one screen; /?room=kitchen is another one.
    application.screen("\(name.screen)", scope: .room, path: "/", page: "\(name.screen).html") { _ in
      \(newScreen)
    }
    await application.run()

    """
  }

  var page: String {
    """
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(name.module)</title>
        <link rel="stylesheet" href="/musubi-base.css">
        <script type="module" src="/musubi.js"></script>
      </head>
      <body data-screen="\(name.screen)">
        <noscript><p>This page needs JavaScript. Switch it on and reload the page.</p></noscript>
        <!-- Seen where the page was opened as a file; /musubi-base.css hides it where it comes from its server. -->
        <div class="musubi-unserved">
          <p>This page needs its server: swift run \(name.module) serve --dev, then http://127.0.0.1:8080.</p>
          <p lang="ja">このページにはサーバーが必要です。swift run \(name.module) serve --dev を実行し、http://127.0.0.1:8080 を開いてください。</p>
        </div>
        <main data-cloak>
          <h1>\(name.module)</h1>
          <p data-bind-text="greeting"></p>
          <p><label>Name <input type="text" autocomplete="off" data-bind-value="name"></label></p>
          <button type="button" data-on-click="wave" data-bind-disabled="waveDisabled">Wave</button>
          <p data-bind-text="waves"></p>
        </main>
        <p role="status"></p>
      </body>
    </html>

    """
  }

  var script: String {
    """
    # Two people at one page: what one types and taps, the other sees.
    open a /\(name.screen)?room=$fresh
    open b like a
    expect a.greeting = "Who is there?"
    expect a.waveDisabled = true

    type b.name "Ann"
    settle
    expect a.name.field = "Ann"
    expect a.greeting = "Hello, Ann!"

    tap a.wave
    tap b.wave
    expect a.waves = "Waves: 2"

    # A later page sees the present state.
    open c like a
    expect c.waves = "Waves: 2"

    """
  }

  var test: String {
    """
    import MusubiTesting
    import Testing

    @testable import \(name.module)

    @Suite struct `The screen of \(name.module)` {
      private let screen: TestScreen

      init() throws { screen = try TestScreen { \(newScreen) } }

      @Test func `greets whoever is named`() throws {
        #expect(screen["greeting"] == "Who is there?")

        try screen.type("Ann", into: "name")

        #expect(screen["greeting"] == "Hello, Ann!")
      }

      @Test func `counts waves as soon as there is a name`() throws {
        #expect(screen["waveDisabled"] == "true")

        try screen.type("Ann", into: "name")
        try screen.tap("wave")
        try screen.tap("wave")

        #expect(screen["waveDisabled"] == "false")
        #expect(screen["waves"] == "Waves: 2")
      }
    }

    """
  }

  var readme: String {
    let view =
      hasView
      ? "| `Sources/\(name.module)/\(name.type)View.swift` | its View: outlets that stand for elements of the page |\n"
      : ""
    return """
      # \(name.module)

      A live page: everybody who opens it types into the same field, and sees the same greeting. Made with Musubi, which a
      Debian 12 with the Swift 6.3 toolchain builds with these libraries:

      ```
      apt-get install libwebsockets-dev libwebsockets-evlib-ev libev-dev zlib1g-dev libpq-dev
      ```

      ## Three commands

      ```
      swift test
      swift run \(name.module) check
      swift run \(name.module) serve --dev
      ```

      The first builds \(name.module) and runs its tests. The second holds the page against the screen. The third serves it: open
      <http://127.0.0.1:8080> in two windows. `--dev` reloads the page when you save it.
      `swift run musubi dev` serves it, too, and has each change of Swift replace the process under its pages.

      ## What is where

      | file | contents |
      | --- | --- |
      | `Sources/\(name.module)/\(name.type)ViewModel.swift` | the ViewModel: \(style.summary) |
      \(view)| `Sources/\(name.module)/main.swift` | the route that ties the screen to its page, and the server |
      | `Public/\(name.screen).html` | the page; names in `data-` attributes tie it to the screen |
      | `Tests/\(name.module)Tests` | the unit test |
      | `Tests/\(name.screen).musubi` | the script: several pages play it against a server of their own by `swift run \(name.module) script Tests` |
      | `Dockerfile` | a container: `\(dockerBuild)` |
      | `deploy/\(name.screen).service` | the systemd unit, which Musubi's `deploy/package` puts into a Debian package |
      | `.vscode` | tasks, the debugger, and all `data-` attributes with the screen's names for the editor |

      Musubi's documentation goes on: `\(style.guide).md` about this way of writing a ViewModel, `DataAttributes.md` about the page,
      `Deployment.md` about the way to a server.

      """
  }
}
