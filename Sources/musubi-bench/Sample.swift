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

  /// Runs C code that measures, and watches meanwhile who else uses the server's core.
  ///
  /// - Parameters:
  ///   - server: The server that is measured.
  ///   - body: Fills in the result.
  /// - Returns: The result.
  /// - Throws: `BenchError` with the server's name and what went wrong.
  static func measure(
    _ server: ServerProcess, _ body: (inout musubi_load_result) -> Void
  ) throws(BenchError) -> Sample {
    var result = musubi_load_result()
    let start = musubi_now_ns()
    let cpuBefore = musubi_process_cpu_ns(server.identifier)
    let busyBefore = server.core.flatMap { Machine.busySeconds(core: $0) }
    body(&result)
    let busyAfter = server.core.flatMap { Machine.busySeconds(core: $0) }
    let error = withUnsafeBytes(of: result.error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard error.isEmpty else { throw BenchError("\(server.kind.title): \(error)") }
    var others: Double?
    if let busyBefore, let busyAfter {
      let own = Double(musubi_process_cpu_ns(server.identifier) &- cpuBefore) / 1e9
      others = max(0, busyAfter - busyBefore - own) / (Double(musubi_now_ns() - start) / 1e9)
    }
    return Sample(result, othersShare: others)
  }

  private init(_ result: musubi_load_result, othersShare: Double?) {
    events = Double(result.events)
    allEvents = Double(result.all_events)
    publications = Double(result.publications)
    frames = Double(result.frames_received)
    effectFrames = Double(result.effect_frames)
    bytesReceived = Double(result.payload_bytes_received)
    bytesSent = Double(result.payload_bytes_sent)
    seconds = Double(result.elapsed_ns) / 1e9
    serverCPU = Double(result.server_cpu_ns) / 1e9
    loadCPU = Double(result.load_cpu_ns) / 1e9
    p50Microseconds = Double(result.p50_ns) / 1e3
    p99Microseconds = Double(result.p99_ns) / 1e3
    self.othersShare = othersShare
  }
}
