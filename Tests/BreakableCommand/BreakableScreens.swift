// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import Synchronization

/// Screens that do what no screen should, when they are asked to.
enum BreakableScreens {
  static func add(to application: inout Application) {
    application.screen("counter", scope: .room, page: "number.html") { context in
      CounterView(taps: try context.restored() ?? 0)
    }
    application.screen("crash", page: "number.html") { _ in CrashView() }
    application.screen("burn", scope: .room, page: "number.html") { _ in BurningViewModel() }
    application.screen("calls", page: "number.html") { _ in CallingViewModel() }
  }
}

/// Counts taps, and keeps the count: what a lost or doubled one would change.
final class CounterView: View, Restorable {
  private let label = Label("label")
  private let button = Button("tap")
  private(set) var state: Int

  init(taps: Int) { state = taps }

  override func viewDidLoad() {
    label.text = "\(state)"
    button.onTap = { [unowned self] in
      state += 1
      label.text = "\(state)"
    }
  }
}

/// Takes its process with it, as a mistake in a ViewModel does in Swift.
final class CrashView: View {
  private let label = Label("label")
  private let button = Button("crash")

  override func viewDidLoad() {
    label.text = "whole"
    button.onTap = { preconditionFailure("A screen failed, as the test asked it to.") }
  }
}

/// Keeps its loop busy for as long as an input says.
final class BurningViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    /// Milliseconds.
    let burn: Signal<Int>
  }

  struct Outputs: Encodable {
    /// How often it has burnt.
    let count: Driver<Int>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let count = inputs.burn.scan(0) { count, milliseconds in
      let end = ContinuousClock.now + .milliseconds(milliseconds)
      while ContinuousClock.now < end {}
      return count + 1
    }
    return Outputs(count: count.asDriver(onErrorJustReturn: -1).startWith(0))
  }
}

/// Calls a model that fails, never answers, or answers when nobody waits any more.
final class CallingViewModel: InputOutputViewModel {
  struct Inputs: Decodable {
    /// `fail`, `hang`, or the milliseconds after which the model answers.
    let call: Signal<String>
  }

  struct Outputs: Encodable {
    /// What the model said last.
    let answer: Driver<String>
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let answer = inputs.call.asObservable().flatMap { word in
      Single<String>.create { try await Self.call(word) }.asObservable()
        .observe(on: MainScheduler.instance)
        .catch { .just("failed: \($0)") }
    }
    return Outputs(answer: answer.asDriver(onErrorJustReturn: "ended").startWith(""))
  }

  private static func call(_ word: String) async throws -> String {
    switch word {
    case "fail": throw CallError.refused
    case "hang": return try await withCheckedThrowingContinuation { hanging.keep($0) }
    default:
      // A model that does not listen to cancellation answers late, too.
      let deadline = ContinuousClock.now + .milliseconds(Int(word) ?? 0)
      while ContinuousClock.now < deadline { await Task.detached { _ = usleep(10_000) }.value }
      return "answered after \(word)"
    }
  }

  private static let hanging = HangingCalls()

  enum CallError: Error { case refused }
}

/// Calls that nobody will answer.
final class HangingCalls: Sendable {
  private let calls = Mutex<[CheckedContinuation<String, any Error>]>([])

  func keep(_ call: CheckedContinuation<String, any Error>) { calls.withLock { $0.append(call) } }
}
