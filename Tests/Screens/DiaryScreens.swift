// SPDX-License-Identifier: Apache-2.0
import Musubi

/// Screens on which somebody leaves all that a page can show: texts, rows, a screen on top, a question, a message.
enum DiaryScreens {
  static func add(to application: inout Application) {
    application.screen("diary", page: "diary.html") { context in
      DiaryViewModel(owner: context.visitor.id ?? "nobody")
    }
    application.screen(
      "day", path: "/days/<id>", page: "day.html",
      address: { (day: DayViewModel) in "/days/\(day.title)" },
      example: { DayViewModel(owner: "nobody", title: "Monday") },
      make: { context in
        DayViewModel(owner: context.visitor.id ?? "nobody", title: context.parameters["id"] ?? "")
      })
  }
}

/// What one visitor has written: a draft, and lines below it.
final class DiaryViewModel {
  struct Line: Identifiable, Codable, Equatable {
    let id: Int
    let text: String
  }

  struct Mark: Decodable {
    let id: Int
    let value: String
  }

  struct Inputs: Decodable {
    var draft: Signal<String> = .never()
    var mood: Signal<Int> = .never()
    var write: Signal<Void> = .never()
    var change: Signal<Mark> = .never()
    var forget: Signal<Int> = .never()
    var open: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let title: Driver<String>
    let draft: Driver<String>
    let mood: Driver<Int>
    let lines: Driver<[Line]>
    let writes: Driver<Int>
    let day: Signal<DayViewModel>
    let askForget: Signal<ForgetQuestion>
    let written: Signal<String>
  }

  private let owner: String
  private let disposeBag = DisposeBag()

  init(owner: String) { self.owner = owner }

  func bind(_ inputs: Inputs) -> Outputs {
    let (draft, mood) = (BehaviorRelay(value: ""), BehaviorRelay(value: 5))
    let lines = BehaviorRelay(value: [Line(id: 1, text: "Secrets of \(owner)")])
    let writes = BehaviorRelay(value: 0)
    let written = PublishRelay<String>()
    inputs.draft.emit(to: draft).disposed(by: disposeBag)
    inputs.mood.emit(to: mood).disposed(by: disposeBag)
    inputs.write.emit(onNext: {
      writes.accept(writes.value + 1)
      lines.accept(lines.value + [Line(id: lines.value.count + 1, text: draft.value)])
      written.accept("Wrote: \(draft.value)")
    }).disposed(by: disposeBag)
    inputs.change.emit(onNext: { mark in
      lines.accept(lines.value.map { $0.id == mark.id ? Line(id: mark.id, text: mark.value) : $0 })
    }).disposed(by: disposeBag)
    return Outputs(
      title: .just("Diary of \(owner)"), draft: draft.asDriver(), mood: mood.asDriver(),
      lines: lines.asDriver(), writes: writes.asDriver(),
      day: inputs.open.map { [owner] in DayViewModel(owner: owner, title: "Monday") },
      askForget: inputs.forget.compactMap { id in
        lines.value.first { $0.id == id }.map { ForgetQuestion(id: id, text: $0.text) }
      },
      written: written.asSignal())
  }
}

/// A question about a line.
struct ForgetQuestion: Encodable {
  let id: Int
  let text: String
}

/// A screen on top of the diary.
final class DayViewModel {
  struct Inputs: Decodable {
    var note: Signal<String> = .never()
  }

  struct Outputs: Encodable {
    let heading: Driver<String>
    let note: Driver<String>
  }

  let title: String
  private let owner: String

  init(owner: String, title: String) { (self.owner, self.title) = (owner, title) }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      heading: .just("\(title) of \(owner)"),
      note: inputs.note.asDriver(onErrorJustReturn: "").startWith(""))
  }
}

extension DiaryViewModel: InputOutputViewModel {}
extension DayViewModel: InputOutputViewModel {}
extension ForgetQuestion: DialogContent {}
