// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The screen at `/` of the admin port.
enum StatusScreen {
  /// Its page, which is part of the program: an application's own folder has none.
  static var files: [(path: String, name: String, body: [UInt8])] {
    [
      (path: "/", name: "status.html", body: PackageResources.status_html),
      (path: "/musubi-status.css", name: "status.css", body: PackageResources.status_css),
    ]
  }

  /// The screen, which shows the newest report in the language of who looks.
  static func route(_ reports: SharedRelay<ServerReport>, hasInspector: Bool) -> ScreenRoute {
    ScreenRoute(name: "status", scope: .session, path: "/") { context in
      InputOutputScreen(
        StatusViewModel(
          reports: reports.asObservable(), language: StatusLanguage(preferred: context.visitor.locales),
          hasInspector: hasInspector),
        name: "status")
    }
  }
}
