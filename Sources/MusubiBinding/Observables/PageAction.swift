// SPDX-License-Identifier: Apache-2.0

/// An action of a screen's page, and what the page shows of it while it waits.
final class PageAction {
  /// Its name in the page.
  let name: String
  private unowned let screen: ScreenModels
  private var running = 0
  private var failure = ""
  private var outputs: [TrackedOutput] = []

  /// An action; declares its outputs.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - names: Where its outputs are declared.
  ///   - running: The output that tells whether it runs; nil for none.
  ///   - failure: The output that tells why it has failed; nil for none.
  init(_ name: String, in names: ModelNames, running: String? = nil, failure: String? = nil) {
    self.name = names.full(name)
    screen = names.screen
    let shown: [TrackedOutput?] = [
      running.flatMap { names.output($0) { [unowned self] in self.running > 0 } },
      failure.flatMap { names.output($0) { [unowned self] in self.failure } },
    ]
    outputs = shown.compactMap(\.self)
  }

  /// Runs it within the turn.
  func perform(_ body: () throws -> Void) {
    do { try body() } catch { screen.reportFailure(of: name, error) }
  }

  /// Begins it; it is an effect of the input that is being handled.
  func begin(_ body: @escaping @Sendable () async throws -> Void) {
    running += 1
    failure = ""
    mark()
    screen.begin(body) { [weak self] error in self?.end(error) }
  }

  private func end(_ error: (any Error)?) {
    running -= 1
    if let error, !(error is CancellationError) {
      failure = "\(error)"
      screen.reportFailure(of: name, error)
    }
    mark()
  }

  private func mark() { for output in outputs { output.mark() } }
}
