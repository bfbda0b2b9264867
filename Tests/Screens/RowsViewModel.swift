// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Two lists whose rows people edit at once, one of them inside of another's rows.
final class RowsViewModel {
  /// A row with two texts.
  struct Row: Identifiable, Codable, Equatable {
    let id: Int
    var title: String
    var note = ""
  }

  /// A row with rows.
  struct Day: Identifiable, Codable, Equatable {
    let id: String
    var tasks: [Task]
  }

  /// A row inside of a row.
  struct Task: Identifiable, Codable, Equatable {
    let id: Int
    var task: String
  }

  /// A row's text as it was typed.
  struct Typed<ID: Decodable>: Decodable {
    let id: ID
    let value: String
  }

  struct Inputs: Decodable {
    var title: Signal<Typed<Int>> = .never()
    var note: Signal<Typed<Int>> = .never()
    var task: Signal<Typed<Int>> = .never()
    var add: Signal<Void> = .never()
    var remove: Signal<Int> = .never()
    var up: Signal<Int> = .never()
    var down: Signal<Int> = .never()
    var shout: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let rows: Driver<[Row]>
    let days: Driver<[Day]>
  }

  private let rows = BehaviorRelay(value: [
    Row(id: 1, title: "One"), Row(id: 2, title: "Two"), Row(id: 3, title: "Three"),
  ])
  private let days = BehaviorRelay(value: [
    Day(id: "mon", tasks: [Task(id: 1, task: "Sow"), Task(id: 2, task: "Water")]),
    Day(id: "tue/wed", tasks: [Task(id: 3, task: "Reap")]),
  ])
  private var lastID = 3
  private let disposeBag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    disposeBag.insert(
      inputs.title.emit(onNext: { [unowned self] typed in change(typed.id) { $0.title = typed.value } }),
      // Digits are no notes: typing and output may differ.
      inputs.note.emit(onNext: { [unowned self] typed in
        change(typed.id) { $0.note = typed.value.filter { !$0.isNumber } }
      }),
      inputs.task.emit(onNext: { [unowned self] typed in write(typed) }),
      inputs.add.emit(onNext: { [unowned self] in
        lastID += 1
        rows.accept(rows.value + [Row(id: lastID, title: "New")])
      }),
      inputs.remove.emit(onNext: { [unowned self] id in rows.accept(rows.value.filter { $0.id != id }) }),
      inputs.up.emit(onNext: { [unowned self] id in move(id, by: -1) }),
      inputs.down.emit(onNext: { [unowned self] id in move(id, by: 1) }),
      inputs.shout.emit(onNext: { [unowned self] in
        rows.accept(rows.value.map { Row(id: $0.id, title: $0.title.uppercased(), note: $0.note) })
      }))
    return Outputs(rows: rows.asDriver(), days: days.asDriver())
  }

  private func change(_ id: Int, _ body: (inout Row) -> Void) {
    var changed = rows.value
    guard let place = changed.firstIndex(where: { $0.id == id }) else { return }
    body(&changed[place])
    rows.accept(changed)
  }

  private func move(_ id: Int, by distance: Int) {
    var changed = rows.value
    guard let place = changed.firstIndex(where: { $0.id == id }), changed.indices.contains(place + distance)
    else { return }
    changed.swapAt(place, place + distance)
    rows.accept(changed)
  }

  private func write(_ typed: Typed<Int>) {
    days.accept(
      days.value.map { day in
        var day = day
        for place in day.tasks.indices where day.tasks[place].id == typed.id {
          day.tasks[place].task = typed.value
        }
        return day
      })
  }
}

extension RowsViewModel: InputOutputViewModel {}
