// SPDX-License-Identifier: Apache-2.0
import Dispatch
import MusubiClient
import Synchronization

/// The command line of the testers' scripts: `script [options] FILE...`.
package struct ScriptCommand: Sendable {
  /// What the options do, for `--help`.
  package static var help: String { ScriptOptions.help }

  /// Runs scripts and prints a line for each step.
  ///
  /// - Parameters:
  ///   - arguments: The words behind `script`.
  ///   - server: How to start a server for each script that is not given one by `--url`.
  ///   - output: Takes the lines of the report.
  /// - Returns: The exit status: 0 if all passed, 1 if a step failed, 2 if a script or an argument is wrong.
  package static func run(
    arguments: [String], server: ServerCommand = .thisExecutable,
    output: @escaping @Sendable (String) -> Void
  ) -> Int32 {
    do throws(ScriptOptions.Mistake) {
      let options = try ScriptOptions(arguments)
      var command = server
      command.furtherArguments += options.serverArguments
      return ScriptCommand(options: options, server: command, output: output).run()
    } catch {
      output("script: \(error.message)")
      return 2
    }
  }

  private let options: ScriptOptions
  private let server: ServerCommand
  private let output: @Sendable (String) -> Void

  private func run() -> Int32 {
    var scripts: [Script] = []
    var isWrong = false
    for file in options.files {
      do throws(ScriptError) {
        let script = try ScriptFile.parse(file)
        if options.url != nil, let step = script.steps.first(where: \.needsOwnServer) {
          throw ScriptError(step.location, "'\(step.source)' needs a server of its own; leave --url away.")
        }
        scripts.append(script)
      } catch {
        output(error.description)
        isWrong = true
      }
    }
    guard !isWrong else { return 2 }
    let begun = ContinuousClock.now
    let outcomes = runAll(scripts)
    summarize(outcomes, begun.duration(to: .now))
    if let file = options.junit, !JUnitReport.write(outcomes, to: file) {
      output("script: '\(file)' cannot be written.")
      return 2
    }
    return outcomes.contains { $0.outcome.failure != nil } ? 1 : 0
  }

  private func runAll(_ scripts: [Script]) -> [ScriptResult] {
    let results = Mutex<[Int: ScriptResult]>([:])
    let next = Mutex(0)
    let run = "\(UInt32.random(in: 0 ... .max))"
    DispatchQueue.concurrentPerform(iterations: min(options.jobs, scripts.count)) { _ in
      while true {
        let index = next.withLock { number in
          defer { number += 1 }
          return number
        }
        guard index < scripts.count else { return }
        let outcome = runOne(scripts[index], fresh: "t\(run)-\(index)")
        results.withLock { $0[index] = ScriptResult(file: scripts[index].file, outcome: outcome) }
      }
    }
    return results.withLock { found in scripts.indices.compactMap { found[$0] } }
  }

  private func runOne(_ script: Script, fresh: String) -> ScriptRun.Outcome {
    let lines = Mutex<[String]>([])
    let isAlone = options.jobs == 1
    let print: (String) -> Void = { line in
      if isAlone { output(line) } else { lines.withLock { $0.append(line) } }
    }
    defer { if !isAlone { output(lines.withLock { $0.joined(separator: "\n") }) } }
    print(script.file)
    do throws(StepFailure) {
      let server = try startedServer()
      defer { server.shutDown() }
      let run = ScriptRun(
        server: server, deadline: options.deadline, fresh: fresh, lineSeed: script.name,
        isTracing: options.isTracing, output: print)
      return run.run(script)
    } catch {
      let text = ([error.message] + error.details.map { "  \($0)" }).joined(separator: "\n")
      print("  FAIL       \(text)")
      return ScriptRun.Outcome(passedSteps: 0, failure: "\(script.file): \(text)", duration: .zero)
    }
  }

  private func startedServer() throws(StepFailure) -> ScriptServer {
    if let url = options.url { return ScriptServer(address: url) }
    let own = try ScriptServer(command: server)
    try own.startAndWait(.seconds(10))
    return own
  }

  private func summarize(_ results: [ScriptResult], _ duration: Duration) {
    let failed = results.filter { $0.outcome.failure != nil }
    let steps = results.reduce(0) { $0 + $1.outcome.passedSteps }
    for result in failed {
      output("failed: \(result.outcome.failure?.split(separator: "\n").first ?? "")")
    }
    let count = results.count == 1 ? "1 script" : "\(results.count) scripts"
    let verdict = failed.isEmpty ? "passed" : "\(failed.count) failed"
    output("\(count): \(verdict), \(steps == 1 ? "1 step" : "\(steps) steps") (\(duration.readable))")
  }
}

/// A script's name and how it ended.
struct ScriptResult: Sendable {
  let file: String
  let outcome: ScriptRun.Outcome
}

extension Step {
  /// Whether the step, or one inside of it, kills or starts the server, or needs one that takes its visitors.
  var needsOwnServer: Bool {
    switch action {
    case .killServer, .stopServer, .restartServer: true
    case .open(_, _, let options), .openLike(_, _, let options): options.visitor != nil
    case .parallel(let inner), .repeats(_, let inner), .include(let inner):
      inner.contains(where: \.needsOwnServer)
    case .within(_, let inner): inner.needsOwnServer
    default: false
    }
  }
}
