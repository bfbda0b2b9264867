// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// Navigation and dialogs: a ViewModel's event becomes state of the session here.
extension SessionDirectory {
  /// Carries out the requests of a room's ViewModel to the page that caused them, if it is still there; to its only page,
  /// in session scope.
  func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?) {
    let page = room.key.isPrivate ? room.members.first : cause.flatMap { room.member($0.page) }
    guard let member = page else {
      let message =
        cause == nil
        ? "a navigation or dialog that no page's input caused was dropped"
        : "a navigation or dialog was dropped, because the page whose input caused it has gone"
      environment.observe?(
        .failed(
          Notice.Failed(
            screen: room.key.screen, message: message, room: room.key.name,
            peer: room.charge.owner.peers.first)))
      return
    }
    let session = member.session
    // The first entry of the stack that is another one now.
    var first = session.members.count
    for request in requests {
      switch request {
      case .present(let presentation): present(presentation, in: session, for: member)
      case .ask(let name, let value):
        member.dialog = ServerFrame.Event(name: name, value: value)
        first = min(first, session.members.firstIndex { $0 === member } ?? first)
      }
    }
    guard first < session.members.count else { return }
    changeScreens(of: session, from: first)
  }

  /// Closes a screen and all above it; the first one stays.
  func goBack(_ session: Session, from screen: Int) {
    guard screen > 0, let index = session.members.firstIndex(where: { $0.screen == screen }) else { return }
    close(from: index, in: session)
    changeScreens(of: session, from: index)
  }

  /// Closes a screen, which is not the first one, and all above it.
  func close(from index: Int, in session: Session) {
    let closed = Array(session.members[index...])
    session.members = Array(session.members[..<index])
    for member in closed.reversed() { rooms.leave(member) }
    rooms.tell(session.members.last, isCovered: false)
  }

  /// Closes a dialog, if it is open.
  func dismiss(_ dialog: String, of member: Member) {
    guard member.dialog?.name == dialog else { return }
    member.dialog = nil
    let session = member.session
    changeScreens(of: session, from: session.members.firstIndex { $0 === member } ?? 0)
  }

  /// Has the screens and dialogs of a session stored, and tells its page those from an entry on.
  private func changeScreens(of session: Session, from first: Int) {
    charge(session)
    committer.touch(session)
    announceScreens(of: session, from: first)
  }

  /// Tells the page which screens and dialogs are open, from an entry of the stack on.
  func announceScreens(of session: Session, from first: Int = 0) {
    // A page that comes back is told all of them behind `resumed`.
    guard session.visit?.awaited?.resume == nil else { return }
    // A page that was never told of a stack does not know that screen 0 is its first entry.
    let known = first < 2 ? 0 : first
    session.visit?.queue { $0.screens(Array(session.screens[known...]), after: known) }
  }

  private func present(_ presentation: Presentation, in session: Session, for cause: Member) {
    guard let route = rooms.routes.values.first(where: { $0.type == presentation.type }) else {
      let message =
        "no screen of the application shows a \(presentation.typeName); add one by screen(_:page:make:)"
      return tellFailure(of: session.members.last?.room.key.screen ?? "", message, of: session)
    }
    do {
      guard session.members.count < configuration.maxScreens else {
        throw RoomRefusal.screens(configuration.maxScreens)
      }
      guard route.permission?.isGranted(to: session.visitor) ?? true else { throw RoomRefusal.notAllowed }
      let number = session.nextScreen
      let key = RoomKey(screen: route.name, name: "\(session.id)/\(number)", isPrivate: true)
      let room = try rooms.make(presentation, as: route, key, for: session)
      session.nextScreen += 1
      let member = room.admit(session, screen: number)
      rooms.tell(session.members.last, isCovered: true)
      session.members = session.members + [member]
      rooms.join(member)
    } catch let refusal as RoomRefusal {
      guard let visit = session.visit else { return }
      visit.note(refusal, of: session.charge.owner.peers)
      visit.queue(for: cause, after: cause.room.sequence) {
        $0.error(refusal.code, refusal.message, screen: cause.screen)
      }
    } catch {
      tellFailure(of: route.name, "\(error)", of: session)
    }
  }

  private func tellFailure(of screen: String, _ message: String, of session: Session) {
    environment.observe?(
      .failed(
        Notice.Failed(
          screen: screen, message: message, session: session.id, peer: session.charge.owner.peers.first)))
  }
}
