// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiBinding
import MusubiRx
import Observation

/// The screen `capitals` as an `@Observable` model, with a button whose action waits.
@Observable final class SimulatedModel {
  var text = "" {
    didSet {
      let made = SimulatedScreen.model.rewrite(text)
      if text != made { text = made }
      label = made
    }
  }
  private(set) var label = ""
  private(set) var draws = 0

  func draw() async {
    await SimulatedPause.end(after: .milliseconds(400))
    draws += 1
  }
}

extension SimulatedModel: ObservableViewModel {
  static var bindings: [PageBinding<SimulatedModel>] {
    [
      .field("text", \.text), .output("label", \.label), .output("draws", \.draws),
      .action("draw") { await $0.draw() },
    ]
  }
}

/// A row that is typed into, in capitals.
@Observable final class SimulatedRow: Identifiable {
  let id: Int
  /// Tells a row from others that have had its id.
  let life: Int
  var title: String {
    didSet {
      let made = RowScreen.model.rewrite(title)
      if title != made { title = made }
    }
  }

  init(id: Int, life: Int, title: String) { (self.id, self.life, self.title) = (id, life, title) }

  func stamp() { title += "#" }
}

extension SimulatedRow: ObservableViewModel {
  static var bindings: [PageBinding<SimulatedRow>] {
    [.field("title", \.title), .output("life", \.life), .action("stamp") { $0.stamp() }]
  }
}

/// The list of the rows' simulation as an `@Observable` model: a row is brought back by an action that waits.
@Observable final class SimulatedList {
  struct State: Codable {
    struct Row: Codable {
      let id: Int
      let life: Int
      let title: String
    }

    let rows: [Row]
    let removed: [Int]
    let lives: Int
  }

  private(set) var rows: [SimulatedRow]
  private var removed: [Int]
  private var lives: Int

  init(_ state: State?) {
    let rows = state?.rows ?? (1...3).map { State.Row(id: $0, life: $0, title: "") }
    self.rows = rows.map { SimulatedRow(id: $0.id, life: $0.life, title: $0.title) }
    (removed, lives) = (state?.removed ?? [], state?.lives ?? 3)
  }

  func add() { insert(10 + lives) }

  func back() async {
    // A kill in between has it run again, so that nothing is taken before.
    await SimulatedPause.end(after: .milliseconds(900))
    if let id = removed.popLast() { insert(id) }
  }

  func remove(_ id: Int) {
    guard let place = rows.firstIndex(where: { $0.id == id }), rows.count > 1 else { return }
    removed.append(id)
    rows.remove(at: place)
  }

  func bounce(_ id: Int) {
    guard let place = rows.firstIndex(where: { $0.id == id }) else { return }
    let row = rows.remove(at: place)
    rows.insert(row, at: 0)
  }

  private func insert(_ id: Int) {
    lives += 1
    rows.insert(SimulatedRow(id: id, life: lives, title: "new "), at: rows.count / 2)
  }
}

extension SimulatedList: ObservableViewModel {
  static var bindings: [PageBinding<SimulatedList>] {
    [
      .rows("rows", \.rows), .action("add") { $0.add() }, .action("back") { await $0.back() },
      .action("remove") { (list, id: Int) in list.remove(id) },
      .action("bounce") { (list, id: Int) in list.bounce(id) },
    ]
  }
}

extension SimulatedList: Restorable {
  var state: State {
    State(
      rows: rows.map { State.Row(id: $0.id, life: $0.life, title: $0.title) }, removed: removed,
      lives: lives)
  }
}

/// Waits in virtual time.
private enum SimulatedPause {
  /// Returns when some time has passed in the room; never if the room goes before, as with a process that is killed.
  static func end(after time: RxTimeInterval) async {
    // Not cancelled: work from outside runs at once in a simulation, also within a cancellation.
    await withUnsafeContinuation { continuation in
      _ = MainScheduler.instance.scheduleRelative((), dueTime: time) {
        continuation.resume()
        return Disposables.create()
      }
    }
  }
}
