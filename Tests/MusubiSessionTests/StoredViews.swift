// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting

/// Counts taps, and shows typing; both survive.
final class CounterView: View, Restorable {
  struct State: Codable {
    var taps: Int
    var log: String
  }

  private let sum = Label("sum")
  private let button = Button("tap")
  private let next = Button("next")
  private let ask = Button("ask")
  private let askTwice = Button("askTwice")
  private let field = TextField("text")
  private let echo = Label("echo")
  private let begin: () -> Effect
  private(set) var state: State
  /// Effects that have begun and wait.
  private let outside: Outside
  private let bag = DisposeBag()

  init(_ context: ScreenContext, outside: Outside) throws {
    state = try context.restored() ?? State(taps: 0, log: "")
    self.outside = outside
    begin = { context.beginEffect() }
  }

  override func viewDidLoad() {
    sum.text = "\(state.taps)"
    if !state.log.isEmpty { echo.text = state.log }
    button.onTap = { [unowned self] in
      state.taps += 1
      sum.text = "\(state.taps)"
    }
    field.onChange = { [unowned self] text in
      state.log = text
      echo.text = text
    }
    next.onTap = { [unowned self] in
      let text = "after \(state.taps)"
      present { SecondView(text: text) }
    }
    askTwice.onTap = { [unowned self] in for _ in 0..<2 { outside.post(begin()) } }
    ask.onTap = { [unowned self] in
      ask("sure")
      outside.post(begin())
    }
  }
}

/// A second screen, which was handed a text.
final class SecondView: View, Restorable {
  let state: String
  private let label = Label("label")
  init(text: String) { state = text }
  override func viewDidLoad() { label.text = state }
}

/// A database outside of the server, in which effects happen; it knows which keys it has seen.
final class Outside: @unchecked Sendable {
  private(set) var open: [Effect] = []
  /// The keys of posts, each once.
  private(set) var posts: [String] = []

  /// Where effects happen by themselves, some time after they have begun; nil if the test has them happen.
  weak var network: SimulatedNetwork?
  /// Counts the processes of the server: what one has begun, a later one does not hear of.
  var life = 0

  func post(_ effect: Effect) {
    open.append(effect)
    guard let network else { return }
    let begun = life
    network.schedule(network.now + .milliseconds(5)) { [self] in
      if begun == life { happen() }
    }
    network.schedule(network.now + .milliseconds(10)) { [self] in
      if begun == life { tell() }
    }
  }

  /// The server is killed.
  func crash() {
    life += 1
    open = []
  }

  /// Begun work happens, and is told unless the server has gone.
  func happen() {
    for effect in open where !posts.contains(effect.key) { posts.append(effect.key) }
  }

  func tell() {
    for effect in open { effect.finish() }
    open = []
  }
}

extension ScreenRoute {
  /// The counter in session scope.
  static func counter(_ outside: Outside = Outside(), scope: Scope = .session) -> ScreenRoute {
    ScreenRoute(name: "counter", scope: scope) { context in try CounterView(context, outside: outside) }
  }

  static var second: ScreenRoute {
    ScreenRoute(name: "second", scope: .session, type: ObjectIdentifier(SecondView.self)) { context in
      SecondView(text: try context.restored() ?? "")
    }
  }
}
