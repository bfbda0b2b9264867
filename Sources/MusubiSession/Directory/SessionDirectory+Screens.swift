// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// Navigation and dialogs: a ViewModel's event becomes state of the session here.
extension SessionDirectory {
  /// Carries out the requests of a room's ViewModel to the page that caused them; to its only page, in
  /// session scope.
  func perform(_ requests: [ScreenRequest], of room: Room, for cause: Member?) {
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
    close(from: index, in: session)
    changeScreens(of: session)
  }

  /// Closes a screen, which is not the first one, and all above it.
  func close(from index: Int, in session: Session) {
    let closed = Array(session.members[index...])
    session.members = Array(session.members[..<index])
    for member in closed.reversed() { rooms.leave(member) }
  }

  /// Closes a dialog, if it is open.
  func dismiss(_ dialog: String, of member: Member) {
    guard member.dialog?.name == dialog else { return }
    member.dialog = nil
    changeScreens(of: member.session)
  }

  /// Has the screens and dialogs of a session stored, and tells its page.
  private func changeScreens(of session: Session) {
    committer.touch(session)
    announceScreens(of: session)
  }

  /// Tells the page which screens and dialogs are open.
  func announceScreens(of session: Session) {
    session.visit?.queue { $0.screens(session.screens) }
  }

  private func present(_ presentation: Presentation, in session: Session) {
    guard let route = rooms.routes.values.first(where: { $0.type == presentation.type }) else {
      environment.observe?(
        .failed(
          screen: session.members.last?.room.key.screen ?? "",
          message:
            "no screen of the application shows a \(presentation.typeName); add one by screen(_:page:make:)"))
      return
    }
    do {
      let number = session.nextScreen
      let key = RoomKey(screen: route.name, name: "\(session.id)/\(number)", isPrivate: true)
      let room = try rooms.make(presentation, as: route, key, for: session)
      session.nextScreen += 1
      let member = room.admit(session, screen: number)
      session.members = session.members + [member]
      room.handle(.join(member: member.number))
    } catch {
      environment.observe?(.failed(screen: route.name, message: "\(error)"))
    }
  }
}
