// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// One row of a benchmark: so many connections, so many messages in flight.
struct Scenario {
  let mode: Mode
  var active: Int
  var idle = 0
  var inFlight = 1
  var isFanOut = false
  /// The rows of the list that is shown; nil for the number screen.
  var rows: Int?
  /// Whether the list's ViewModel tells which row has changed, instead of the whole list.
  var tellsChange = false
  /// How many of its own revisions a page has not seen yet when it sends an edit, because answers are on their way.
  var behind = 0
  /// How pages send text; nil for what the options say.
  var client: Options.Client?

  /// Round trips or deliveries that one message of a page brings about.
  var eventsPerMessage: Int { isFanOut ? active : 1 }

  /// Measures every server that the options name, repeats interleaved so that all meet the same disturbances.
  ///
  /// Musubi goes first: the size of its answers becomes the size of the baselines' ones.
  ///
  /// - Parameter options: Servers, cores, repeats.
  /// - Returns: One measurement for each server, with ratios.
  /// - Throws: `BenchError` if a server cannot run or an answer is wrong.
  func measure(_ options: Options) throws(BenchError) -> [Measurement] {
    let servers = ServerKind.allCases.reversed().filter { options.servers.contains($0) }
    var answerBytes = isFanOut ? 110 : 150
    var samples: [[Sample]] = servers.map { _ in [] }
    // One process may not have enough descriptors for thousands of connections to each server at once.
    let groups = active + idle > 3_000 ? servers.indices.map { $0..<$0 + 1 } : [servers.indices]
    for group in groups {
      var loads: [(Load, ServerProcess)] = []
      defer { loads.forEach { $0.1.stop() } }
      for index in group {
        let (load, server) = try open(servers[index], answerBytes: answerBytes, options)
        loads.append((load, server))
        let warmUp = try warm(load, options)
        if servers[index] == .musubi { answerBytes = Int((warmUp.bytesReceived / warmUp.events).rounded()) }
      }
      for turn in 0..<options.repeatCount {
        // There and back, so that nobody always comes after the same one.
        let order = Array(zip(group, loads))
        for (index, (load, _)) in turn.isMultiple(of: 2) ? order : order.reversed() {
          samples[index].append(try load.run(.seconds(options.repeatSeconds)))
        }
      }
    }
    let measurements = zip(servers, samples).map { Measurement(self, $0, $1) }
    return measurements.reversed().map { $0.compared(with: measurements) }
  }

  /// Lets a load run until there is at least one answer.
  private func warm(_ load: Load, _ options: Options) throws(BenchError) -> Sample {
    for _ in 0..<100 {
      let sample = try load.run(.seconds(max(0.1, options.repeatSeconds / 3)))
      if sample.events > 0 { return sample }
    }
    throw BenchError(
      "nothing is answered within \(readable(options.repeatSeconds / 3, decimals: 2)) s, again and again")
  }

  /// Starts a server and opens the connections.
  ///
  /// - Parameters:
  ///   - kind: Which server.
  ///   - answerBytes: The payload of a baseline's answers.
  ///   - options: The core.
  /// - Returns: Both; who has them stops the server.
  /// - Throws: `BenchError` if the server does not start, or does not greet everybody.
  func open(
    _ kind: ServerKind, answerBytes: Int = 150, _ options: Options
  ) throws(BenchError) -> (Load, ServerProcess) {
    let server = try ServerProcess(kind, options)
    let traffic = Traffic(
      server: kind, client: client ?? options.client, isFanOut: isFanOut, answerBytes: answerBytes,
      rows: rows,
      tellsChange: tellsChange, security: options.identity == nil ? MUSUBI_PLAIN : MUSUBI_TLS)
    do throws(BenchError) {
      return (try Load(self, traffic, to: server), server)
    } catch {
      server.stop()
      throw error
    }
  }
}

extension Measurement {
  /// Adds the ratios to the baselines of the same run.
  func compared(with all: [Measurement]) -> Measurement {
    func ratio(to server: ServerKind) -> Double? {
      all.first { $0.server == server }.flatMap { median(rates, relativeTo: $0.rates) }
    }
    var result = self
    result.ratioToLibwebsockets = ratio(to: .lws)
    result.ratioToEpoll = ratio(to: .epoll)
    result.cpuRatioToLibwebsockets =
      all.first { $0.server == .lws }.flatMap { median($0.costs, relativeTo: costs) }
    return result
  }
}
