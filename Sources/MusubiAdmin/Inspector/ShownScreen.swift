// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiWire

/// A screen of the application in the inspector's frame: it shows what a room has shown, and takes no input.
final class ShownScreen: ScreenContent {
  /// How often the frame looks for news.
  private static let beat = RxTimeInterval.milliseconds(200)

  private let rooms: InspectedRooms
  private let screen: String
  private let look: Int
  private let clock: any SchedulerType
  private var outputs: [String: OutputSlot] = [:]
  /// What it shows: of which choice, and how much had happened.
  private var shown: (choice: InspectorPage.Choice, version: Int)?
  private let disposeBag = DisposeBag()

  /// A screen.
  ///
  /// - Parameters:
  ///   - screen: The screen's name in the application.
  ///   - look: The number of what an inspector looks at, as text.
  ///   - rooms: What has happened.
  ///   - clock: The screen's own.
  /// - Throws: `ScreenNotFound` if no inspector looks at a room of the screen.
  init(of screen: String, as look: String?, _ rooms: InspectedRooms, clock: any SchedulerType) throws {
    guard let look = look.flatMap({ Int($0) }) else { throw ScreenNotFound() }
    (self.screen, self.look, self.rooms, self.clock) = (screen, look, rooms, clock)
    guard let first = newest() else { throw ScreenNotFound() }
    let builder = ScreenBuilder.active
    for member in first.objectValue ?? Value.Object() {
      let output = builder?.declareOutput(member.key) ?? OutputSlot(name: member.key)
      output.write(member.value)
      outputs[member.key] = output
    }
    for name in rooms.pages.inputs(of: screen) {
      builder?.declareInput(InputSlot(name: name, kind: .value) { _ in })
    }
  }

  func start() {}

  func load() {
    Observable<Int>.interval(Self.beat, scheduler: clock)
      .subscribe(onNext: { [unowned self] _ in
        for member in newest()?.objectValue ?? Value.Object() { outputs[member.key]?.write(member.value) }
      })
      .disposed(by: disposeBag)
  }

  func appear() {}
  func disappear() {}

  /// Nobody may send anything.
  func rules(of inputs: [ScreenSchema.Input]) -> InputRules {
    InputRules(permissions: Dictionary(inputs.map { ($0.name, .roles()) }) { $1 })
  }

  /// What the page shows; nil if that is the same as before, or not known.
  private func newest() -> Value? {
    let version = rooms.version
    guard let choice = rooms.pages.look(look)?.choice, shown.map({ $0 != (choice, version) }) ?? true,
      let room = choice.room.flatMap({ rooms.room($0) }), room.screen == screen
    else { return nil }
    shown = (choice, version)
    return room.state(after: choice.line).page
  }
}
