// SPDX-License-Identifier: Apache-2.0

/// The findings of all repeats of one scenario on one server: medians, and how far the repeats are apart.
struct Measurement: Encodable {
  let mode: String
  let server: ServerKind
  let connections: Int
  let idle: Int
  let inFlight: Int
  /// Events per second: the median, the lowest, and the highest repeat.
  let perSecond: Double
  let lowest: Double
  let highest: Double
  let p50Microseconds: Double
  let p99Microseconds: Double
  /// CPU time of the server per event; unlike the rate it hardly suffers from other programs.
  let serverMicrosecondsPerEvent: Double
  /// Shares of one core, from 0 to 1.
  let serverBusy: Double
  let loadBusy: Double
  let othersBusy: Double?
  /// Payload bytes that arrived per event, and frames that carried them.
  let bytesPerEvent: Double
  let framesPerEvent: Double
  /// How many events one frame answers, acknowledgements apart: Musubi makes one turn of what arrives at once.
  let eventsPerFrame: Double
  /// Payload bytes of one message, and frames and bytes of its answer; in a fan-out of one delivery.
  let bytesPerMessage: Double
  /// Events per second, and CPU time of the server per event in microseconds, of each repeat.
  let rates, costs: [Double]
  /// The rate divided by a baseline's: the median of what repeats side by side found.
  var ratioToLibwebsockets: Double?
  var ratioToEpoll: Double?
  /// The CPU time of the libwebsockets baseline per event, divided by this server's: the same comparison when other
  /// programs use the cores.
  var cpuRatioToLibwebsockets: Double?

  /// Distance of the lowest and the highest repeat, relative to the median.
  var spread: Double { perSecond > 0 ? (highest - lowest) / perSecond : 0 }

  /// - Parameters:
  ///   - scenario: The scenario.
  ///   - server: On which server.
  ///   - samples: The repeats, at least one.
  init(_ scenario: Scenario, _ server: ServerKind, _ samples: [Sample]) {
    mode = scenario.mode.rawValue
    self.server = server
    connections = scenario.active
    idle = scenario.idle
    inFlight = scenario.inFlight
    rates = samples.map(\.rate)
    costs = samples.map { $0.serverCPU / max(1, $0.events) * 1e6 }
    perSecond = median(rates)
    lowest = rates.min() ?? 0
    highest = rates.max() ?? 0
    p50Microseconds = median(samples.map(\.p50Microseconds))
    p99Microseconds = median(samples.map(\.p99Microseconds))
    serverMicrosecondsPerEvent = median(costs)
    serverBusy = median(samples.map { $0.serverCPU / $0.seconds })
    loadBusy = median(samples.map { $0.loadCPU / $0.seconds })
    let others = samples.compactMap(\.othersShare)
    othersBusy = others.isEmpty ? nil : median(others)
    let events = samples.reduce(0) { $0 + $1.events }
    bytesPerEvent = samples.reduce(0) { $0 + $1.bytesReceived } / max(1, events)
    framesPerEvent = samples.reduce(0) { $0 + $1.frames } / max(1, events)
    eventsPerFrame = events / max(1, samples.reduce(0) { $0 + $1.effectFrames })
    let messages = scenario.isFanOut ? samples.reduce(0) { $0 + $1.publications } : events
    bytesPerMessage = samples.reduce(0) { $0 + $1.bytesSent } / max(1, messages)
  }
}

/// The middle one of the ratios of numbers that were found side by side.
///
/// A machine that others use changes from second to second: measurements side by side have met the same
/// conditions.
///
/// - Returns: The median of the ratios, of those whose divisor is not 0; nil if there are none.
func median(_ values: [Double], relativeTo others: [Double]) -> Double? {
  let ratios = zip(values, others).filter { $0.1 > 0 }.map { $0.0 / $0.1 }
  return ratios.isEmpty ? nil : median(ratios)
}

/// The middle one of some numbers.
///
/// - Parameter values: The numbers, in any order.
/// - Returns: The mean of the middle two if their count is even; 0 if there are none.
func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard let highest = sorted.last else { return 0 }
  let middle = sorted.count / 2
  return sorted.count.isMultiple(of: 2)
    ? (sorted[middle - 1] + sorted[middle]) / 2 : min(sorted[middle], highest)
}

extension Measurement {
  /// The sizes of messages and answers, for a title.
  static func sizes(_ measurements: [Measurement]) -> String {
    guard let one = measurements.first(where: { $0.server == .musubi }) ?? measurements.first else {
      return ""
    }
    return "message \(readable(one.bytesPerMessage)) bytes, answer \(readable(one.bytesPerEvent)) bytes"
  }
}
