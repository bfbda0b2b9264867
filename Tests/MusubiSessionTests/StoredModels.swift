// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiSession
import Observation

/// What `CounterView` does, as an `@Observable` model.
@Observable final class CounterModel {
  var text: String
  private(set) var taps: Int
  var isSure = false
  var second: String?
  private let outside: Outside

  init(_ state: CounterView.State?, outside: Outside) {
    (text, taps) = (state?.log ?? "", state?.taps ?? 0)
    self.outside = outside
  }

  func tap() { taps += 1 }
  func next() { second = "after \(taps)" }

  func ask() async {
    isSure = true
    await outside.post(once: Effect.currentKey ?? "")
  }
}

extension CounterModel: ObservableViewModel {
  static var bindings: [PageBinding<CounterModel>] {
    [
      .field("text", \.text), .output("echo", \.text), .output("sum", \.sum),
      .dialog("sure", isPresented: \.isSure), .destination("second", \.second) { SecondView(text: $0) },
      .action("tap") { $0.tap() }, .action("next") { $0.next() }, .action("ask") { await $0.ask() },
    ]
  }

  var sum: String { "\(taps)" }
}

extension CounterModel: Restorable {
  var state: CounterView.State { CounterView.State(taps: taps, log: text) }
}

extension Outside {
  /// Posts something that happens once for each key; returns when it has happened.
  func post(once key: String) async {
    await withCheckedContinuation { continuation in post(Effect(key: key) { continuation.resume() }) }
  }
}

extension ScreenRoute {
  /// The counter as an `@Observable` model.
  static func counterModel(_ outside: Outside, scope: Scope) -> ScreenRoute {
    ScreenRoute(name: "counter", scope: scope) { context in
      ObservableScreen(CounterModel(try context.restored(), outside: outside), name: "counter")
    }
  }
}
