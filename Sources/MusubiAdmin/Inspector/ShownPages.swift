// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import Synchronization

/// The application's pages, as the inspector shows them in a frame, and what each inspector looks at.
///
/// May be used on any loop.
package final class ShownPages: Sendable {
  /// What one inspector looks at, for its frame.
  final class Look: Sendable {
    let id: Int
    private let pages: ShownPages
    private let chosen: Mutex<InspectorPage.Choice>

    fileprivate init(id: Int, at choice: InspectorPage.Choice, in pages: ShownPages) {
      (self.id, self.pages) = (id, pages)
      chosen = Mutex(choice)
    }

    deinit { pages.forget(id) }

    /// What is chosen now.
    var choice: InspectorPage.Choice {
      get { chosen.withLock { $0 } }
      set { chosen.withLock { $0 = newValue } }
    }
  }

  private struct Weak {
    weak var look: Look?
  }

  private struct State {
    var inputs: [String: [String]] = [:]
    var address: (@Sendable () -> String?)?
    var looks: [Int: Weak] = [:]
    var last = 0
  }

  private let routes: [String: PageRoute]
  private let state = Mutex(State())

  /// Screens of the admin port have these names, so the application's cannot be shown.
  private static let ownScreens: Set = ["status", "inspector"]

  /// - Parameter routes: The routes of the pages, by their screens.
  init(_ routes: [String: PageRoute]) { self.routes = routes.filter { !Self.ownScreens.contains($0.key) } }

  /// The screens that can be shown.
  var screens: [String] { routes.keys.sorted() }

  /// The paths at which the admin port shows something of its own.
  private static let ownPaths: Set = ["/", "/inspector", "/metrics", "/healthz", "/readyz"]

  /// The path of a room's page on the admin port; nil if it cannot be shown.
  func path(of room: InspectedRoom) -> String? {
    guard let route = routes[room.screen] else { return nil }
    return pagePath(of: room, route).flatMap { Self.ownPaths.contains($0) ? nil : $0 } ?? "/" + route.file
  }

  /// The path of a room's page in the application; nil if it has none, or if nobody knows what stands for its places.
  func pagePath(of room: InspectedRoom) -> String? {
    routes[room.screen].flatMap { pagePath(of: room, $0) }
  }

  private func pagePath(of room: InspectedRoom, _ route: PageRoute) -> String? {
    // Whoever was the first to come has said which path that is.
    if Self.isPlain(room.path), route.matches(room.path) { return room.path }
    return route.path.contains("<") ? nil : route.path
  }

  /// Whether a path is nothing but one in an address (RFC 3986, section 3.3).
  private static func isPlain(_ path: String) -> Bool {
    path.hasPrefix("/") && !path.hasPrefix("//")
      && path.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "/-._~%!$&'()*+,;=:@".utf8.contains(byte)
        }
      }
  }

  /// The inputs of a screen.
  func inputs(of screen: String) -> [String] { state.withLock { $0.inputs[screen] ?? [] } }

  /// Where the application's pages are, if one may have a slow line; nil if not.
  var address: String? { state.withLock(\.address)?() }

  /// The application is about to listen.
  ///
  /// - Parameters:
  ///   - inputs: The inputs of its screens, by the screens' names.
  ///   - address: Where its pages are, if one may have a slow line.
  func know(inputs: [String: [String]], slowLinesAt address: (@Sendable () -> String?)? = nil) {
    state.withLock { ($0.inputs, $0.address) = (inputs, address) }
  }

  /// Begins to look, until nobody holds it any more.
  func look(at choice: InspectorPage.Choice) -> Look {
    state.withLock { state in
      state.last += 1
      let look = Look(id: state.last, at: choice, in: self)
      state.looks[look.id] = Weak(look: look)
      return look
    }
  }

  /// What an inspector looks at; nil if it is gone.
  func look(_ id: Int) -> Look? { state.withLock { $0.looks[id]?.look } }

  private func forget(_ id: Int) { state.withLock { $0.looks[id] = nil } }
}
