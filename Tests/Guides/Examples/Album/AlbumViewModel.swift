import Musubi

/// Develops the pictures of an album, which takes a while.
final class AlbumViewModel {
  struct Inputs: Decodable {
    var develop: Signal<Void> = .never()
    var cancel: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let work: Driver<TaskProgress>
    let pictures: Driver<Int>
  }

  /// What is stored: a picture that is developed stays so, and whether more were being developed.
  struct State: Codable {
    var pictures = 0
    var work = TaskProgress()
  }

  var state: State { State(pictures: pictures.value, work: work.progress) }

  private static let count = 12
  private let pictures: BehaviorRelay<Int>
  private let work: ProgressTask
  private let darkroom: @Sendable (Int) async throws -> Void
  private let disposeBag = DisposeBag()

  init(
    _ context: ScreenContext, stored: State? = nil, darkroom: @escaping @Sendable (Int) async throws -> Void
  ) {
    pictures = BehaviorRelay(value: stored?.pictures ?? 0)
    work = ProgressTask(context, restoring: stored?.work)
    self.darkroom = darkroom
    // It was under way when the server's process ended.
    if stored?.work.isRunning == true { develop() }
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.develop.emit(onNext: { [unowned self] in develop() }).disposed(by: disposeBag)
    inputs.cancel.emit(onNext: { [unowned self] in work.cancel() }).disposed(by: disposeBag)
    return Outputs(work: work.asDriver(), pictures: pictures.asDriver())
  }

  private func develop() {
    work.start { progress in
      while self.pictures.value < Self.count {
        let next = self.pictures.value + 1
        progress.report(Double(next - 1) / Double(Self.count), message: "Picture \(next) of \(Self.count)")
        try await self.darkroom(next)
        self.pictures.accept(next)
      }
    }
  }
}
