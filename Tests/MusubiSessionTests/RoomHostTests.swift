// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import Testing

@testable import MusubiSession

@Suite struct `A room without a loop` {
  private let session = Session(
    id: "A", token: TokenHash(testHash([])), visitor: .anonymous, owner: MemoryLedger(limit: nil).owner([]))
  private let host = Host()

  private func makeRoom(host: Host?, _ body: @escaping (AskingView, ScreenContext) -> Void) throws -> (
    room: Room, view: AskingView?
  ) {
    let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
    let context = ScreenContext(screen: "ask", clock: scheduler, random: RandomSource(seed: 1))
    var made: AskingView?
    let room = try Room(
      key: RoomKey(screen: "ask", name: "a", isPrivate: false), epoch: "e", path: "/", scheduler: scheduler,
      resources: RoomResources(SessionConfiguration()), host: host
    ) {
      let builder = ScreenBuilder()
      let view = builder.collect {
        let view = AskingView { body($0, context) }
        view.start()
        return view
      }
      made = view
      return ScreenInstance(builder: builder, content: view)
    }
    _ = room.admit(session, screen: 0)
    room.handle(.join(member: 1))
    room.finishTurn()
    host?.asked = []
    return (room, made)
  }

  private func tap(_ room: Room) {
    room.handle(.input(member: 1, number: 1, name: "go", row: [], value: nil))
  }

  @Test func `asks its host once to finish its turn, however much happens`() throws {
    let (room, _) = try makeRoom(host: host) { view, _ in view.label.text = "tapped" }
    for _ in 0..<3 { tap(room) }
    #expect(host.asked == ["finish"])
    room.finishTurn()
    tap(room)
    #expect(host.asked == ["finish", "finish"])
  }

  @Test func `tells its host of writes while it handles nothing`() throws {
    let (room, view) = try makeRoom(host: host) { _, _ in }
    view?.label.text = "from outside"
    #expect(host.asked == ["outside"])
    #expect(room.sequence == 0)
  }

  @Test func `passes on what its ViewModel asks of the page, with the member that has caused it`() throws {
    let (room, _) = try makeRoom(host: host) { view, _ in view.ask("sure") }
    tap(room)
    #expect(host.asked == ["finish", "dialog sure for 1"])
  }

  @Test func `tells when an effect of an input begins, and when the last has finished`() throws {
    var effects: [Effect] = []
    let (room, _) = try makeRoom(host: host) { _, context in
      effects = [context.beginEffect(), context.beginEffect()]
    }
    tap(room)
    #expect(effects.map(\.key) == ["A/1", "A/1/2"])
    for effect in effects { effect.finish() }
    #expect(host.asked == ["finish", "effect of A", "effect of A", "no more effects"])
  }

  @Test func `runs, and asks nobody`() throws {
    let (room, view) = try makeRoom(host: nil) { view, _ in
      view.label.text = "tapped"
      view.ask("sure")
    }
    tap(room)
    room.finishTurn()
    #expect(room.sequence == 1)
    view?.label.text = "from outside"
    room.handle(.outside)
    room.finishTurn()
    #expect(room.sequence == 2)
  }

  /// Notes its calls.
  private final class Host: RoomHost {
    var asked: [String] = []

    func opened(_ room: Room) { asked.append("finish") }
    func follow(_ turn: Int, of room: Room) {}
    func wroteOutside(_ room: Room) { asked.append("outside") }
    func changed(_ room: Room) { asked.append("store") }
    func perform(_ requests: [ScreenRequest], of room: Room, for cause: PageCause?) {
      for case .ask(let name, _) in requests {
        asked.append("dialog \(name) for \(cause.map { "\($0.page)" } ?? "nobody")")
      }
    }
    func report(_ notice: Notice) { asked.append("log") }
    func effectBegan(of room: Room, for session: Session) { asked.append("effect of \(session.id)") }
    func effectsEnded(of room: Room) { asked.append("no more effects") }
  }
}

/// Runs a test's closure when its button is tapped.
private final class AskingView: View {
  let label = Label("label")
  private let button = Button("go")
  private let body: (AskingView) -> Void

  init(body: @escaping (AskingView) -> Void) { self.body = body }

  override func viewDidLoad() { button.onTap = { [unowned self] in body(self) } }
}
