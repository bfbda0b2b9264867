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
    // Everybody who opens the page shares one screen, with what is typed into it; /?room=kitchen is another one. Where each person
    // has a form of their own over something that all share, the guide "Shared models" goes on.
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
        <link rel="icon" href="/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/musubi-base.css">
        <script type="module" src="/musubi.js"></script>
      </head>
      <body data-screen="\(name.screen)">
        <noscript><p>This page needs JavaScript. Switch it on and reload the page.</p></noscript>
        <!-- Seen where the page was opened as a file; /musubi-base.css hides it where it comes from its server. -->
        <div class="musubi-unserved">
          <p>This page needs its server: swift run musubi dev, then http://127.0.0.1:8080.</p>
          <p lang="ja">このページにはサーバーが必要です。swift run musubi dev を実行し、http://127.0.0.1:8080 を開いてください。</p>
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

  /// A knot with two ends.
  var icon: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#a02d2a" stroke-width="2">
      <circle cx="6" cy="8" r="4"/>
      <circle cx="10" cy="8" r="4"/>
    </svg>

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
      apt-get install libwebsockets-dev libwebsockets-evlib-ev libev-dev zlib1g-dev libpq-dev libsqlite3-dev
      ```

      ## Three commands

      ```
      swift test
      swift run musubi check
      swift run musubi dev
      ```

      The first builds \(name.module) and runs its tests; with Musubi that takes some minutes once. The second holds the page against
      the screen. The third serves it until Ctrl-C: open <http://127.0.0.1:8080> in two windows, and save. A change of the page reloads
      it, a change of Swift replaces the process under its pages. `--port 8081` takes another port.
      `swift run \(name.module) serve` serves it without all that, `swift run \(name.module) --help` tells its other commands.

      ## What is where

      | file | contents |
      | --- | --- |
      | `Sources/\(name.module)/\(name.type)ViewModel.swift` | the ViewModel: \(style.summary) |
      \(view)| `Sources/\(name.module)/main.swift` | the route that ties the screen to its page, and the server |
      | `Public/\(name.screen).html` | the page; names in `data-` attributes tie it to the screen |
      | `Public/icon.svg` | its icon |
      | `Tests/\(name.module)Tests` | the unit test |
      | `Tests/\(name.screen).musubi` | the script: several pages play it against a server of their own by `swift run \(name.module) script Tests` |
      | `Dockerfile` | a container: `\(dockerBuild)` |
      | `deploy/\(name.screen).service` | the systemd unit, which Musubi's `deploy/package` puts into a Debian package |
      | `.vscode` | tasks, the debugger, and all `data-` attributes with the screen's names for the editor |

      Musubi's documentation goes on, in the folder `Sources/Musubi/Musubi.docc` of its repository: `\(style.guide).md` about this way of
      writing a ViewModel, `DataAttributes.md` about the page, `SharedModels.md` about what people with forms of their own share,
      `Deployment.md` about the way to a server.

      """
  }
}
