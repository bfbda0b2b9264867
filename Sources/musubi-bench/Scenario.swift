// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// One row of a benchmark: so many connections, so many messages in flight.
struct Scenario {
  let mode: Mode
  var active: Int
  var idle = 0
  var inFlight = 1
  var isFanOut = false

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
        let server = try ServerProcess(servers[index], options)
        var traffic = Traffic(server: servers[index], client: options.client, isFanOut: isFanOut)
        traffic.answerBytes = answerBytes
        let load: Load
        do throws(BenchError) {
          load = try Load(self, traffic, to: server)
          loads.append((load, server))
        } catch {
          server.stop()
          throw error
        }
        let warmUp = try load.run(seconds: max(0.1, options.repeatSeconds / 3))
        if servers[index] == .musubi { answerBytes = Int((warmUp.bytesReceived / warmUp.events).rounded()) }
      }
      for _ in 0..<options.repeatCount {
        for (index, (load, _)) in zip(group, loads) {
          samples[index].append(try load.run(seconds: options.repeatSeconds))
        }
      }
    }
    let measurements = zip(servers, samples).map { Measurement(self, $0, $1) }
    return measurements.reversed().map { $0.compared(with: measurements) }
  }
}

extension Measurement {
  /// Adds the ratios to the baselines of the same run.
  func compared(with all: [Measurement]) -> Measurement {
    func ratio(to server: ServerKind) -> Double? {
      all.first { $0.server == server && $0.perSecond > 0 }.map { perSecond / $0.perSecond }
    }
    var result = self
    result.ratioToLibwebsockets = ratio(to: .lws)
    result.ratioToEpoll = ratio(to: .epoll)
    if let lws = all.first(where: { $0.server == .lws }), serverMicrosecondsPerEvent > 0 {
      result.cpuRatioToLibwebsockets = lws.serverMicrosecondsPerEvent / serverMicrosecondsPerEvent
    }
    return result
  }
}
