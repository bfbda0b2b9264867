// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// What one repeat of one measurement found.
struct Sample {
  /// Round trips, deliveries or sessions joined.
  let events: Double
  /// The same with those that were answered after the time was up.
  let allEvents: Double
  let publications: Double
  let frames: Double
  /// The frames that carried what events did; one may carry what several did.
  let effectFrames: Double
  let bytesReceived: Double
  let bytesSent: Double
  let seconds: Double
  /// CPU seconds of the server and of the load generator.
  let serverCPU: Double
  let loadCPU: Double
  let p50Microseconds: Double
  let p99Microseconds: Double
  /// Share of the server's core that others took, from 0 to 1; nil if it is unknown.
  let othersShare: Double?

  /// Events per second.
  var rate: Double { events / seconds }

  /// Lets a load measure, and watches meanwhile who else uses the server's core.
  ///
  /// - Parameters:
  ///   - server: The server that is measured.
  ///   - order: A run, or joins.
  /// - Returns: The result.
  /// - Throws: `BenchError` with the server's name and what went wrong.
  static func measure(_ server: ServerProcess, _ order: LoadOrder) throws(BenchError) -> Sample {
    let start = musubi_now_ns()
    let cpuBefore = musubi_process_cpu_ns(server.identifier)
    let busyBefore = server.core.flatMap { Machine.busySeconds(core: $0) }
    let answer = try server.load(order)
    let busyAfter = server.core.flatMap { Machine.busySeconds(core: $0) }
    guard let result = answer.result else { throw BenchError("\(server.kind.title): the load has no result") }
    var others: Double?
    if let busyBefore, let busyAfter {
      let own = Double(musubi_process_cpu_ns(server.identifier) &- cpuBefore) / 1e9
      others = max(0, busyAfter - busyBefore - own) / (Double(musubi_now_ns() - start) / 1e9)
    }
    return Sample(result, othersShare: others)
  }

  private init(_ result: LoadResult, othersShare: Double?) {
    events = Double(result.events)
    allEvents = Double(result.allEvents)
    publications = Double(result.publications)
    frames = Double(result.frames)
    effectFrames = Double(result.effectFrames)
    bytesReceived = Double(result.bytesReceived)
    bytesSent = Double(result.bytesSent)
    seconds = Double(result.elapsed) / 1e9
    serverCPU = Double(result.serverCPU) / 1e9
    loadCPU = Double(result.loadCPU) / 1e9
    p50Microseconds = Double(result.p50) / 1e3
    p99Microseconds = Double(result.p99) / 1e3
    self.othersShare = othersShare
  }
}
