// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// Navigation and dialogs: what a ViewModel emits once becomes state of the session here.
extension Hub {
  /// Carries out what a room's ViewModel asks of the page that caused it; of its only page, in session scope.
  func answer(_ requests: [ScreenRequest], of room: Room, to cause: Member?) {
    guard let member = cause ?? (room.key.isPrivate ? room.members.first : nil) else {
      environment.observe?(
        .failed(
          screen: room.key.screen, message: "a navigation or dialog that no page's input caused was dropped"))
      return
    }
    let session = member.session
    for request in requests {
      switch request {
      case .present(let presentation): present(presentation, in: session)
      case .ask(let name, let value): member.dialog = ServerFrame.Dialog(name: name, value: value)
      }
    }
    changeScreens(of: session)
  }

  /// Closes a screen and all above it; the first one stays.
  func goBack(_ session: Session, from screen: Int) {
    guard screen > 0, let index = session.members.firstIndex(where: { $0.screen == screen }) else { return }
    let closed = Array(session.members[index...])
    session.members.removeLast(closed.count)
    for member in closed.reversed() { leave(member) }
    changeScreens(of: session)
  }

  /// Closes a dialog, if it is open.
  func dismiss(_ dialog: String, of member: Member) {
    guard member.dialog?.name == dialog else { return }
    member.dialog = nil
    changeScreens(of: member.session)
  }

  /// Has the screens and dialogs of a session stored, and tells its page.
  private func changeScreens(of session: Session) {
    keeper.touch(session)
    announceScreens(of: session)
  }

  /// Tells the page which screens and dialogs are open.
  func announceScreens(of session: Session) {
    session.connection?.queue { $0.screens(session.screens) }
  }

  private func present(_ presentation: Presentation, in session: Session) {
    guard let route = routes.values.first(where: { $0.type == presentation.type }) else {
      environment.observe?(
        .failed(
          screen: session.members.last?.room.key.screen ?? "",
          message:
            "no screen of the application shows a \(presentation.typeName); add one by screen(_:page:make:)"))
      return
    }
    do {
      let number = session.nextScreen
      var path = route.path
      let scheduler = makeScheduler()
      let made = try LoopContext.with(scheduler) {
        try ScreenInstance.presented(presentation, as: route.name)
      }
      if let address = route.address { path = address(made.subject) }
      let key = RoomKey(screen: route.name, name: "\(session.id)/\(number)", isPrivate: true)
      let room = try makeRoom(key, path: path, scheduler) { made.instance }
      if session.isStored { keep(room, query: [:], visitor: session.visitor) }
      session.nextScreen += 1
      let member = room.admit(session, screen: number)
      session.members.append(member)
      room.handle(.join(member: member.number))
    } catch {
      environment.observe?(.failed(screen: route.name, message: "\(error)"))
    }
  }
}
