// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The screen at `/inspector` of the admin port.
enum InspectorScreen {
  /// Its page, which is part of the program.
  static var files: [(path: String, name: String, body: [UInt8])] {
    [
      (path: "/inspector", name: "inspector.html", body: PackageResources.inspector_html),
      (path: "/inspector.css", name: "inspector.css", body: PackageResources.inspector_css),
    ]
  }

  /// The screen, in the language of who looks.
  static func route(_ rooms: InspectedRooms) -> ScreenRoute {
    ScreenRoute(name: "inspector", scope: .session) { context in
      InputOutputScreen(
        InspectorViewModel(
          rooms: rooms, language: StatusLanguage(preferred: context.visitor.locales),
          room: context.query["at"],
          clock: context.clock),
        name: "inspector")
    }
  }
}
