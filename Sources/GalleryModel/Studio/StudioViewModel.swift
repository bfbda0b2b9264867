// SPDX-License-Identifier: Apache-2.0
package import MusubiBinding
package import MusubiRx

/// A visitor's view of the studio: sends files, has tables added up, watches a meter, and talks with the others.
package final class StudioViewModel: InputOutputViewModel, Restorable {
  package struct Inputs: Decodable {
    package var file: Signal<UploadedFile> = .never()
    package var cancel: Signal<Void> = .never()
    package var draft: Signal<String> = .never()
    package var say: Signal<Void> = .never()

    package init() {}
  }

  package struct Outputs: Encodable {
    package let draft: Driver<String>
    package let lines: Driver<[StudioModel.Line]>
    package let writers: Driver<String>
    package let pictures: Driver<[StudioModel.Picture]>
    package let table: Driver<String>
    package let sums: BarChart
    package let work: Driver<TaskProgress>
    package let meter: LineChart
    package let problem: Driver<String>
  }

  /// The sum of a column.
  package struct Sum: Codable, Equatable {
    package let column: String
    package let value: Double
  }

  /// What is stored: a table that was being added up is lost with the server's process.
  package struct State: Codable {
    var draft = ""
    var table = ""
    var sums: [Sum] = []
  }

  package static var rules: [InputRule<Inputs>] {
    [
      .limit(
        \.file, to: .megabytes(5), types: ["text/csv", "image/png", "image/jpeg", "image/gif", "image/webp"])
    ]
  }

  package var state: State { State(draft: draft.value, table: table.value, sums: sums.value) }

  private let studio: Shared<StudioModel>
  private let context: ScreenContext
  private let keep: (UploadedFile) throws -> StudioModel.Picture
  private let remove: (StudioModel.Picture) -> Void
  private let pause: @Sendable () async throws -> Void
  private let draft: BehaviorRelay<String>
  private let table: BehaviorRelay<String>
  private let sums: BehaviorRelay<[Sum]>
  private let problem = BehaviorRelay(value: "")
  private let work: ProgressTask
  private let disposeBag = DisposeBag()
  private static let maxSums = 8
  /// A larger table would keep the loop's other screens waiting.
  private static let maxTableBytes = 524_288

  /// A view of the studio, or one that was stored.
  ///
  /// - Parameters:
  ///   - context: The screen's.
  ///   - studio: What all share.
  ///   - state: What was stored.
  ///   - keep: Puts a picture where pages find it.
  ///   - remove: Deletes it again, if the studio does not take it.
  ///   - pause: Waits between two parts of a table, so that people see how far it is.
  package init(
    _ context: ScreenContext, studio: Shared<StudioModel>, state: State? = nil,
    keep: @escaping (UploadedFile) throws -> StudioModel.Picture,
    remove: @escaping (StudioModel.Picture) -> Void,
    pause: @escaping @Sendable () async throws -> Void
  ) {
    self.context = context
    self.studio = studio
    self.keep = keep
    self.remove = remove
    self.pause = pause
    draft = BehaviorRelay(value: state?.draft ?? "")
    table = BehaviorRelay(value: state?.table ?? "")
    sums = BehaviorRelay(value: state?.sums ?? [])
    work = ProgressTask(context)
  }

  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.file.emit(onNext: { [unowned self] in take($0) }).disposed(by: disposeBag)
    inputs.cancel.emit(onNext: { [work] in work.cancel() }).disposed(by: disposeBag)
    inputs.draft.emit(to: draft).disposed(by: disposeBag)
    inputs.draft.asObservable().filter { !$0.isEmpty }
      .throttle(.seconds(2), latest: false, scheduler: context.clock)
      .subscribe(onNext: { [studio] _ in studio.send(.write) }).disposed(by: disposeBag)
    inputs.say.emit(onNext: { [unowned self] in say() }).disposed(by: disposeBag)
    return Outputs(
      draft: draft.asDriver(), lines: studio.lines,
      writers: studio.writers.map { $0.joined(separator: ", ") },
      pictures: studio.pictures, table: table.asDriver(), sums: BarChart(sums.asDriver().map(Self.bars)),
      work: work.asDriver(), meter: LineChart(meter, range: 0...100, unit: " %"), problem: problem.asDriver())
  }

  /// Something that moves ten times a second.
  private var meter: Driver<TimeSeries> {
    let random = context.random
    return Observable<Int>.interval(.milliseconds(100), scheduler: context.clock)
      .scan(into: (series: TimeSeries(), value: 50.0)) { meter, _ in
        meter.value = min(max(meter.value + Double(Int(random.next() % 17)) - 8, 0), 100)
        meter.series.append(meter.value)
      }.map(\.series).asDriver(onErrorDriveWith: .empty()).startWith(TimeSeries())
  }

  private func say() {
    guard !draft.value.isEmpty else { return }
    studio.send(.say(draft.value))
    draft.accept("")
  }

  private func take(_ file: UploadedFile) {
    do {
      if file.type == "text/csv", file.size <= Self.maxTableBytes {
        add(up: Table(String(decoding: try file.bytes(), as: UTF8.self)), name: file.name)
        problem.accept("")
      } else if file.type != "text/csv" {
        hang(try keep(file))
      } else {
        problem.accept(file.name)
      }
    } catch {
      problem.accept(file.name)
    }
  }

  private func hang(_ picture: StudioModel.Picture) {
    studio.send(.hang(picture)).subscribe(
      onSuccess: { [problem] in problem.accept("") },
      onFailure: { [problem, remove] _ in
        remove(picture)
        problem.accept(picture.name)
      }
    ).disposed(by: disposeBag)
  }

  /// Adds up each column that has numbers.
  private func add(up table: Table, name: String) {
    work.cancel()
    work.start { [sums, shown = self.table, pause] progress in
      let columns = table.rows.first ?? []
      var totals = [Double?](repeating: nil, count: columns.count)
      for (number, row) in table.rows.enumerated().dropFirst() {
        for (column, cell) in row.enumerated().prefix(columns.count) {
          if let value = Double(cell), value.isFinite { totals[column] = (totals[column] ?? 0) + value }
        }
        guard number.isMultiple(of: max(1, table.rows.count / 50)) else { continue }
        progress.report(Double(number) / Double(table.rows.count))
        try await pause()
      }
      let found = zip(columns, totals).compactMap { column, total in
        total.flatMap { $0.isFinite ? Sum(column: column, value: $0) : nil }
      }
      shown.accept(name)
      sums.accept(Array(found.prefix(Self.maxSums)))
    }
  }

  private static func bars(_ sums: [Sum]) -> [BarChart.Bar] {
    sums.enumerated().map { BarChart.Bar(id: $0.offset, name: $0.element.column, value: $0.element.value) }
  }
}
