// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession

/// Tells who it is whenever it is asked to, and opens a second screen.
final class WhoView: View, Restorable {
  private let who = Label("who")
  private let note = TextField("note")
  private let tap = Button("tap")
  private let next = Button("next")
  private let context: ScreenContext
  private(set) var state: Int

  init(_ context: ScreenContext) throws {
    self.context = context
    state = try context.restored() ?? 0
  }

  override func viewDidLoad() {
    show()
    tap.onTap = { [unowned self] in
      state += 1
      show()
    }
    next.onTap = { [unowned self] in present { WhoDetail(id: "42") } }
  }

  private func show() {
    let visitor = context.visitor
    who.text = ([visitor.id ?? "nobody"] + visitor.roles.map(\.rawValue).sorted()).joined(separator: " ")
  }
}

/// The second screen.
final class WhoDetail: View, Restorable {
  let state: String
  private let label = Label("label")
  init(id: String) { state = id }
  override func viewDidLoad() { label.text = state }
}

/// Reads the header `cookie`, `ann admin #phone`: an id, its roles and its log-in.
final class Doorkeeper {
  /// The addresses that are refused from now on, as `ann detail` or `ann hall/attic`.
  var closed: Set<String> = []
  /// Those about which nobody can say anything for now.
  var silent: Set<String> = []
  /// What the hook was asked, in the same words.
  private(set) var asked: [String] = []
  /// How long each visitor is trusted.
  var validFor: Duration?

  func visitor(of request: ConnectionRequest) throws -> Visitor {
    let words = request.headers["cookie"]?.split(separator: " ").map(String.init) ?? []
    let place = [request.screen, request.room].compactMap { $0 }.joined(separator: "/")
    let question = "\(words.first ?? "nobody") \(place)"
    asked.append(question)
    if words.first == "broken" { throw BrokenHook() }
    if silent.contains(question) { throw VisitorRefusal.timedOut }
    guard !closed.contains(question) else { throw Denied("The door to \(place) is closed.") }
    let roles = words.dropFirst().filter { !$0.hasPrefix("#") }
    return Visitor(
      id: words.first, roles: Set(roles.map { Role($0) }), validFor: validFor,
      logIn: words.first { $0.hasPrefix("#") })
  }

  func forget() { asked = [] }

  struct BrokenHook: Error {}
}

extension ScreenRoute {
  /// A screen for each visitor, from which one comes to a detail.
  static let who = ScreenRoute(name: "who", scope: .session) { try WhoView($0) }
  /// The same for all who are in a room.
  static let hall = ScreenRoute(name: "hall", scope: .room) { try WhoView($0) }
  /// What both open.
  static let detail = ScreenRoute(
    name: "detail", scope: .session, path: "/who/<id>", type: ObjectIdentifier(WhoDetail.self),
    address: { "/who/\(($0 as? WhoDetail)?.state ?? "")" },
    make: { WhoDetail(id: $0.parameters["id"] ?? "") })
}
