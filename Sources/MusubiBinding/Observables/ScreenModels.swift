// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// The bindings of a screen of `@Observable` models: its outputs, those that have to be made again, and its actions.
final class ScreenModels {
  /// The type of the screen's model, for messages.
  let type: String
  /// The events of the screen's life.
  let lifecycle = Lifecycle()
  /// Where the models live.
  let home = ScreenTasks.ofTest?.element.home ?? ModelHome(LoopContext.current as? any LoopHome)
  /// The board that holds this.
  private unowned let board: OutputBoard
  private var outputs: [TrackedOutput] = []
  private var marked: [TrackedOutput] = []
  private var rowInputs: [String: ModelRowInputs] = [:]
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var lastTask = 0
  /// Whether the log has a line about a change on another thread.
  private var hasToldForeignChange = false
  private let disposeBag = DisposeBag()

  init(_ type: String, board: OutputBoard) {
    self.type = type
    self.board = board
  }

  deinit { for task in tasks.values { task.cancel() } }

  // MARK: - Outputs

  /// Follows what an output reads.
  func follow<Content>(
    _ slot: OutputSlot, _ read: @escaping () -> Content, _ write: @escaping (Content) throws -> Void
  ) -> TrackedOutput {
    let output = TrackedValue(slot: slot.index, of: self, read, write)
    follow(output)
    return output
  }

  /// Follows an output, from the end of the screen's making on.
  func follow(_ output: TrackedOutput) {
    outputs.append(output)
    marked.append(output)
  }

  /// An output has to be made again.
  func noteMarked(_ output: TrackedOutput) {
    marked.append(output)
    board.announce()
  }

  /// Makes the marked outputs again.
  func update() {
    guard !marked.isEmpty else { return }
    let all = marked
    marked = []
    for output in all { output.updateIfMarked() }
  }

  /// Makes an output again if it is marked, and leaves the others for the end of the turn.
  func update(slot: Int) {
    for output in marked where output.slot == slot { output.updateIfMarked() }
  }

  /// Asks of the page what properties hold that ask.
  func updateRequests() {
    guard marked.contains(where: { $0.slot < 0 }) else { return }
    let requests = marked.filter { $0.slot < 0 }
    marked.removeAll { $0.slot < 0 }
    for request in requests { request.updateIfMarked() }
  }

  /// Asks something of the session that shows the screen.
  ///
  /// - Parameters:
  ///   - name: The name of what asks.
  ///   - request: Makes the request; throws what an author's `encode(to:)` throws.
  func ask(_ name: String, _ request: () throws -> ScreenRequest) {
    do { board.request(try request()) } catch {
      board.report("the question \"\(name)\" of \(type) was not asked: \(error)")
    }
  }

  /// Whether an output is to be made again.
  func isMarked(slot: Int) -> Bool { marked.contains { $0.slot == slot } }

  // MARK: - Inputs

  /// Adds a list whose rows have an input of a name.
  ///
  /// - Returns: The inputs of that name if they are new; nil if they are declared already.
  func addRows(_ list: RowList, to name: String) -> ModelRowInputs? {
    let known = rowInputs[name]
    let inputs = known ?? ModelRowInputs(name)
    inputs.lists.append(list)
    rowInputs[name] = inputs
    return known == nil ? inputs : nil
  }

  /// Keeps a subscription as long as the screen lives.
  func keep(_ subscription: any Disposable) { subscription.disposed(by: disposeBag) }

  // MARK: - Actions

  /// Begins work that waits for something; it is an effect of the input that is being handled.
  ///
  /// Its first part, up to where it waits, belongs to the turn. It is cancelled when the screen goes.
  ///
  /// - Parameters:
  ///   - body: The work.
  ///   - end: Called here when it has ended, with its error.
  func begin(_ body: @escaping @Sendable () async throws -> Void, end: @escaping ((any Error)?) -> Void) {
    lastTask += 1
    let number = lastTask
    let effect = (LoopContext.current as? any EffectOrigin)?.beginEffect()
    let life = Carried(ActionLife(screen: self, effect: effect, end: end))
    let task = home.start(key: effect?.key) {
      var failure: (any Error)?
      do { try await body() } catch { failure = error }
      let life = life.element
      life.hasEnded = true
      life.screen?.tasks[number] = nil
      life.end(failure)
      life.effect?.finish()
    }
    if !life.element.hasEnded { tasks[number] = task }
  }

  // MARK: - Problems

  /// An action has failed.
  func reportFailure(of action: String, _ error: any Error) {
    board.report("the action \"\(action)\" of \(type) has failed: \("\(error)".prefix(200))")
  }

  /// An output could not be made.
  func reportKept(_ output: TrackedOutput, _ error: any Error) {
    board.report("the output \"\(board.slots[output.slot].name)\" of \(type) keeps its old value: \(error)")
  }

  /// A property was changed where nobody may change it; one line for each screen, however many changes there are.
  func reportForeignChange() {
    guard !hasToldForeignChange else { return }
    hasToldForeignChange = true
    board.report(
      "a property of \(type) was changed on another thread than its loop's; change it in the model's own methods, or in an "
        + "async action, which comes back to the loop after each await")
  }
}

/// What an action's task needs at its end; used where the models live.
private final class ActionLife {
  weak var screen: ScreenModels?
  let effect: Effect?
  let end: ((any Error)?) -> Void
  var hasEnded = false

  init(screen: ScreenModels, effect: Effect?, end: @escaping ((any Error)?) -> Void) {
    (self.screen, self.effect, self.end) = (screen, effect, end)
  }
}
