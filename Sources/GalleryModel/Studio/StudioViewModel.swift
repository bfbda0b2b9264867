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

  /// A table that was added up.
  package struct Sums: Codable {
    var table = ""
    var bars: [BarChart.Bar] = []
  }

  /// What is stored: a table that was being added up is lost with the server's process.
  package struct State: Codable {
    var draft: String
    /// None in a record of 0.2.0, which has them in another form.
    var shown: Sums?
  }

  package static var rules: [InputRule<Inputs>] {
    [.limit(\.file, to: .megabytes(5), types: ["text/csv"] + pictureTypes)]
  }

  package var state: State { State(draft: draft.value, shown: sums.value) }

  private let studio: Shared<StudioModel>
  private let context: ScreenContext
  private let keep: (UploadedFile) throws -> String
  private let remove: (StudioModel.Picture) -> Void
  private let pause: @Sendable () async throws -> Void
  private let draft: BehaviorRelay<String>
  private let sums: BehaviorRelay<Sums>
  private let problem = BehaviorRelay(value: "")
  private lazy var work = ProgressTask(context)
  private let disposeBag = DisposeBag()
  private static let pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"]
  private static let maxBars = 8
  /// A larger table would keep the loop's other screens waiting.
  private static let maxTableBytes = 524_288

  /// A view of the studio, or one that was stored.
  ///
  /// - Parameters:
  ///   - context: The screen's.
  ///   - studio: What all share.
  ///   - state: What was stored.
  ///   - keep: Puts a picture where pages find it, and says where that is.
  ///   - remove: Deletes it again, if the studio does not take it.
  ///   - pause: Waits between two parts of a table, so that people see how far it is.
  package init(
    _ context: ScreenContext, studio: Shared<StudioModel>, state: State? = nil,
    keep: @escaping (UploadedFile) throws -> String,
    remove: @escaping (StudioModel.Picture) -> Void,
    pause: @escaping @Sendable () async throws -> Void
  ) {
    self.context = context
    self.studio = studio
    self.keep = keep
    self.remove = remove
    self.pause = pause
    draft = BehaviorRelay(value: state?.draft ?? "")
    sums = BehaviorRelay(value: state?.shown ?? Sums())
  }

  package func bind(_ inputs: Inputs) -> Outputs {
    inputs.file.emit(onNext: { [unowned self] in take($0) }).disposed(by: disposeBag)
    inputs.cancel.emit(onNext: { [work] in work.cancel() }).disposed(by: disposeBag)
    inputs.draft.emit(to: draft).disposed(by: disposeBag)
    inputs.draft.asObservable().filter { !$0.isEmpty }
      .throttle(.seconds(2), latest: false, scheduler: context.clock)
      .subscribe(onNext: { [studio] _ in studio.send(.write) }).disposed(by: disposeBag)
    inputs.say.emit(onNext: { [unowned self] in say(draft.value) }).disposed(by: disposeBag)
    return Outputs(
      draft: draft.asDriver(), lines: studio.lines,
      writers: studio.writers.map { $0.map { $0.isEmpty ? "…" : $0 }.joined(separator: ", ") },
      pictures: studio.pictures, table: sums.asDriver().map(\.table),
      sums: BarChart(sums.asDriver().map(\.bars)),
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

  private func say(_ line: String) {
    guard !line.isEmpty else { return }
    draft.accept("")
    problem.accept("")
    send(.say(line), named: line) { [draft] in draft.accept(line + draft.value) }
  }

  private func take(_ file: UploadedFile) {
    problem.accept("")
    do {
      if Self.pictureTypes.contains(file.type) {
        let picture = StudioModel.Picture(id: file.id, name: file.name, address: try keep(file))
        send(.hang(picture), named: file.name) { [remove] in remove(picture) }
      } else if file.size <= Self.maxTableBytes {
        add(up: Table(String(decoding: try file.bytes(), as: UTF8.self)), name: file.name)
      } else {
        problem.accept(file.name)
      }
    } catch {
      problem.accept(file.name)
    }
  }

  /// Asks the studio for something; if it cannot do it, `undo` puts back what was there, and the page says so.
  private func send(_ command: StudioModel.Command, named name: String, undo: @escaping () -> Void) {
    studio.send(command).subscribe(onFailure: { [problem] _ in
      undo()
      problem.accept(name)
    }).disposed(by: disposeBag)
  }

  /// Adds up each column that has numbers.
  private func add(up table: Table, name: String) {
    work.cancel()
    work.start { [sums, pause] progress in
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
      let bars = columns.indices.compactMap { column in
        totals[column].map { BarChart.Bar(id: column, name: columns[column], value: $0) }
      }
      sums.accept(Sums(table: name, bars: Array(bars.filter(\.value.isFinite).prefix(Self.maxBars))))
    }
  }
}
