// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

/// One script while it runs: its clients, its saved values and its server.
final class ScriptRun {
  /// How a script ended.
  struct Outcome: Sendable {
    var passedSteps: Int
    /// Where and why it failed; nil if it passed.
    var failure: String?
    var duration: Duration
  }

  /// How long a step may take unless it says otherwise.
  let deadline: Duration
  private(set) var clients: [String: ScriptClient] = [:]
  private var variables: [String: Value]
  let server: ScriptServer
  private let lineSeed: String
  private let isTracing: Bool
  private let output: (String) -> Void
  private var passedSteps = 0
  /// Takes how long a step took, for loads; nil if nobody measures.
  var onMeasured: ((Step, Duration) -> Void)?

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - server: The server, running.
  ///   - deadline: How long a step may take.
  ///   - fresh: A name that no other run uses, for `$fresh`.
  ///   - lineSeed: What decides jitter and loss, together with a page's name; the same words throw the same numbers.
  ///   - isTracing: Whether all frames are printed.
  ///   - output: Takes lines.
  init(
    server: ScriptServer, deadline: Duration, fresh: String, lineSeed: String, isTracing: Bool,
    output: @escaping (String) -> Void
  ) {
    self.server = server
    self.deadline = deadline
    self.lineSeed = lineSeed
    self.isTracing = isTracing
    self.output = output
    variables = ["fresh": .string(fresh), "round": 1]
  }

  /// Runs all steps.
  func run(_ script: Script) -> Outcome {
    let begun = ContinuousClock.now
    let runner = StepRunner(script.steps, in: self)
    var failure: String?
    do throws(StepRunner.Failed) {
      while try !runner.advance() { pump(runner) }
    } catch {
      failure = report(error)
    }
    closeAll()
    return Outcome(passedSteps: passedSteps, failure: failure, duration: begun.duration(to: .now))
  }

  private func pump(_ runner: StepRunner) {
    let far = ContinuousClock.now.advanced(by: .seconds(60))
    let end = runner.isBusy ? ContinuousClock.now : min(runner.nextCheck ?? far, far)
    let ready = ClientConnection.turn(
      clients.values.map(\.connection), readable: server.outputDescriptor.map { [$0] } ?? [], until: end)
    if !ready.isEmpty { server.readOutput() }
    takeNotices()
  }

  /// Sorts what has arrived.
  func takeNotices() {
    for client in clients.values {
      client.takeNotices()
      if let onMeasured { client.takeAcknowledged(onMeasured) }
    }
  }

  /// Closes all pages.
  func closeAll() {
    for client in clients.values { client.connection.close() }
  }

  // MARK: - What steps use

  /// The present values.
  var now: Evaluation { Evaluation(clients: clients, variables: variables) }

  func client(_ name: String) throws(StepFailure) -> ScriptClient {
    guard let client = clients[name] else { throw StepFailure("No client '\(name)' is open.") }
    return client
  }

  func add(name: String, target: String, options: ClientConnection.Options) throws(StepFailure)
    -> ScriptClient
  {
    guard let address = server.address else { throw StepFailure("The server is not running.") }
    clients[name]?.connection.close()
    let trace: ((String) -> Void)? = isTracing ? { [output] line in output("           \(line)") } : nil
    let client = ScriptClient(name: name, server: address, target: target, options: options, trace: trace)
    client.connection.lineSeed = Self.seed(of: "\(lineSeed) \(name)")
    clients[name] = client
    return client
  }

  /// The number of a text, the same on each machine and in each process, as Swift's own hashes are not (FNV-1a).
  static func seed(of text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  func save(_ value: Value, as name: String) { variables[name] = value }

  func setRound(_ round: Int, of rounds: Int) {
    if rounds > 1 { variables["round"] = .integer(Int64(round)) }
  }

  /// A step has gone on: its inputs that have left now are measured until they are acknowledged.
  func sent(by step: Step) {
    guard onMeasured != nil, let name = step.action.inputClient else { return }
    clients[name]?.note(step)
  }

  // MARK: - Reports

  func passed(_ step: Step, depth: Int, isQuiet: Bool, took: Duration) {
    passedSteps += 1
    if step.action.isMeasuredByItself { onMeasured?(step, took) }
    guard !isQuiet else { return }
    let indent = String(repeating: "  ", count: depth)
    let milliseconds = Int(took / .milliseconds(1))
    let time = milliseconds >= 10 ? "  (\(milliseconds) ms)" : ""
    output("  ok   \(padded(step.location.line))  \(indent)\(step.source)\(time)")
  }

  private func padded(_ number: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(0, 4 - text.count)) + text
  }

  private func report(_ failed: StepRunner.Failed) -> String {
    let place = failed.step.location
    output("  FAIL \(padded(place.line))  \(failed.step.source)")
    var lines = ["\(place.file):\(place.line):\(place.column): failed: \(failed.failure.message)"]
    lines += failed.failure.details.map { "  \($0)" }
    lines += server.lastWords.map { "  \($0)" }
    for line in lines { output("       \(line)") }
    return lines.joined(separator: "\n")
  }
}
