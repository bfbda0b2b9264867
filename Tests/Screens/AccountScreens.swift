// SPDX-License-Identifier: Apache-2.0
import Musubi
import Synchronization

/// Screens that know who looks at them, and a sign-in that needs no password.
///
/// The cookies of the handshake say all: `visitor=ann` the identity, `rights=read+write` its roles,
/// `valid-for=5` for how many seconds. `slow=300` how many milliseconds the answer takes. `visitor=mallory` is
/// refused with a sentence, for `visitor=broken` the hook itself fails, and `denied=account` refuses the screen of that name.
/// A room `of-ann` is for ann alone, and the journal for whoever has logged in. Whoever
/// has signed out everywhere is nobody until the cookie `again` is there.
enum AccountScreens {
  static func add(to application: inout Application) {
    application.identifyVisitors { try await visitor(of: $0) }
    let left = SharedRelay(value: "", isPerServer: true)
    let signOut = { @Sendable [visitors = application.visitors] (identity: String) in
      ended.withLock { _ = $0.insert(identity) }
      _ = Task { left.accept("\(identity): \(await visitors.endSessions(of: identity))") }
    }
    application.screen("account", page: "account.html") { context in
      AccountView(context, taps: try context.restored() ?? 0, left: left, signOut: signOut)
    }
    application.screen("journal", page: "journal.html") { context in
      AccountView(context, taps: try context.restored() ?? 0, left: left, signOut: signOut)
    }
    application.screen("board", scope: .room, page: "account.html") { context in
      AccountView(context, taps: try context.restored() ?? 0, left: left, signOut: signOut)
    }
  }

  /// Who has signed out everywhere, and is nobody until the cookie `again` says that they have signed in since.
  private static let ended = Mutex<Set<String>>([])

  static func visitor(of request: Request) async throws -> Visitor {
    let cookies = request.cookies.filter { !$1.isEmpty }
    if let pause = cookies["slow"].flatMap({ Int($0) }) { try await Task.sleep(for: .milliseconds(pause)) }
    let isOver = cookies["again"] == nil && ended.withLock { $0.contains(cookies["visitor"] ?? "") }
    let identity = isOver ? nil : cookies["visitor"]
    if identity == "mallory" { throw Denied("Mallory may not come in.") }
    if identity == "broken" { throw SignInFailure() }
    if let room = request.room, room.hasPrefix("of-"), room != "of-\(identity ?? "")" {
      throw Denied("The room \(room) is somebody else's.")
    }
    if let screen = request.screen, cookies["denied"] == screen {
      throw Denied("You may no longer see \(screen).")
    }
    if request.screen == "journal", identity == nil { throw LogInRequired(at: "/login.html") }
    let roles = cookies["rights"]?.split(separator: "+").map { Role(String($0)) } ?? []
    return Visitor(
      id: identity, roles: Set(roles),
      validFor: cookies["valid-for"].flatMap { Double($0) }.map { .seconds($0) })
  }

  private struct SignInFailure: Error {}
}

/// Tells who looks at it and who was signed out everywhere last, and keeps a note and a count of taps.
private final class AccountView: View, Restorable {
  private let who = Label("who")
  private let rights = Label("rights")
  private let taps = Label("taps")
  private let note = TextField("note")
  private let tap = Button("tap")
  private let leave = Button("leave")
  private let left = Label("left")
  private let context: ScreenContext
  private let whoLeft: SharedRelay<String>
  private let signOut: (String) -> Void
  private let disposeBag = DisposeBag()
  private(set) var state: Int

  init(_ context: ScreenContext, taps: Int, left: SharedRelay<String>, signOut: @escaping (String) -> Void) {
    self.context = context
    self.signOut = signOut
    whoLeft = left
    state = taps
  }

  override func viewDidLoad() {
    show()
    whoLeft.asObservable().bind(to: left.rx.text).disposed(by: disposeBag)
    leave.onTap = { [unowned self] in
      if let identity = context.visitor.id { signOut(identity) }
    }
    tap.onTap = { [unowned self] in
      state += 1
      show()
    }
  }

  private func show() {
    who.text = context.visitor.id ?? "nobody"
    rights.text = context.visitor.roles.map(\.rawValue).sorted().joined(separator: ", ")
    taps.text = "\(state)"
  }
}
