// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The screen at `/inspector` of the admin port.
enum InspectorScreen {
  /// Its page, which is part of the program.
  static var files: [(path: String, name: String, body: [UInt8])] {
    [
      (path: "/inspector", name: "inspector.html", body: PackageResources.inspector_html),
      (path: "/musubi-inspector.css", name: "inspector.css", body: PackageResources.inspector_css),
      (path: "/musubi-inspector.js", name: "inspector.js", body: PackageResources.inspector_js),
    ]
  }

  /// The screen, in the language of who looks, and the application's screens as they were.
  static func routes(_ rooms: InspectedRooms) -> [ScreenRoute] {
    let own = ScreenRoute(name: "inspector", scope: .session) { context in
      InputOutputScreen(
        InspectorViewModel(
          rooms: rooms, language: StatusLanguage(preferred: context.visitor.locales),
          room: context.query["at"],
          clock: context.clock),
        name: "inspector")
    }
    return [own]
      + rooms.pages.screens.map { screen in
        ScreenRoute(name: screen, scope: .session) { context in
          try ShownScreen(of: screen, as: context.query["look"], rooms, clock: context.clock)
        }
      }
  }
}
