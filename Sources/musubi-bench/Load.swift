// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// Open connections to one server, and what they measure.
final class Load {
  private let handle: OpaquePointer
  private let server: ServerProcess

  /// Opens the connections of a scenario.
  ///
  /// - Parameters:
  ///   - scenario: How many connections, and how many messages in flight.
  ///   - traffic: What they send.
  ///   - server: Where they go.
  ///   - others: Servers that share its rooms; connections go to all of them in turn, at most two.
  /// - Throws: `BenchError` if a connection is refused or not greeted.
  init(
    _ scenario: Scenario, _ traffic: Traffic, to server: ServerProcess, and others: [ServerProcess] = []
  ) throws(BenchError) {
    let ports = [server.port] + others.map(\.port)
    let (handle, error) = Self.withPlan(scenario, traffic, ports: ports) { plan in
      var reason = CErrorText()
      let handle = reason.withBuffer { musubi_load_open(plan, $0) }
      return (handle, reason.text)
    }
    guard let handle else { throw BenchError("\(server.kind.title): \(error)") }
    self.handle = handle
    self.server = server
  }

  deinit { musubi_load_close(handle) }

  /// Sends for a while.
  ///
  /// - Parameter limit: How long, or how much.
  /// - Returns: The measurement.
  /// - Throws: `BenchError` if an answer was wrong or did not come.
  func run(_ limit: Limit) throws(BenchError) -> Sample {
    try Sample.measure(server) { musubi_load_run(handle, limit.value, server.identifier, &$0) }
  }

  /// Where a run ends.
  enum Limit {
    case seconds(Double)
    case events(Int)

    fileprivate var value: musubi_load_limit {
      switch self {
      case .seconds(let seconds): musubi_load_limit(seconds: seconds, events: 0)
      case .events(let events): musubi_load_limit(seconds: 600, events: UInt64(events))
      }
    }
  }

  /// Keeps the connections open without sending.
  ///
  /// - Parameter seconds: How long.
  /// - Throws: `BenchError` if the server closed one.
  func rest(seconds: Double) throws(BenchError) {
    guard musubi_load_rest(handle, seconds) else {
      throw BenchError("\(server.kind.title) closed an idle connection")
    }
  }

  /// Joins and leaves for a while, `scenario.active` connections at a time.
  ///
  /// - Parameters:
  ///   - scenario: How many connections at a time.
  ///   - traffic: Where they go.
  ///   - server: Which server.
  ///   - limit: How long, or how many.
  /// - Returns: The measurement; an event is a session joined.
  /// - Throws: `BenchError` if a connection was refused or failed.
  static func join(
    _ scenario: Scenario, _ traffic: Traffic, to server: ServerProcess, _ limit: Limit
  ) throws(BenchError) -> Sample {
    try Sample.measure(server) { result in
      withPlan(scenario, traffic, ports: [server.port]) { plan in
        musubi_load_join(plan, limit.value, server.identifier, &result)
      }
    }
  }

  private static func withPlan<Result>(
    _ scenario: Scenario, _ traffic: Traffic, ports: [UInt16],
    _ body: (UnsafePointer<musubi_load_plan>) -> Result
  ) -> Result {
    var plan = musubi_load_plan()
    let texts = [
      traffic.path, traffic.resumePath, traffic.idlePath, "musubi.v1", traffic.request(isFirst: false),
      traffic.request(isFirst: true),
    ].map { (text: String) in strdup(text) }
    defer { texts.forEach { free($0) } }
    plan.port = ports[0]
    plan.further_port_count = UInt32(min(ports.count - 1, Int(MUSUBI_FURTHER_PORTS)))
    withUnsafeMutableBytes(of: &plan.further_ports) { further in
      ports.dropFirst().withUnsafeBytes { further.copyBytes(from: $0.prefix(further.count)) }
    }
    plan.security = traffic.security
    plan.path = UnsafePointer(texts[0])
    plan.resume_path = UnsafePointer(texts[1])
    plan.idle_path = UnsafePointer(texts[2])
    plan.protocol = UnsafePointer(texts[3])
    plan.request = UnsafePointer(texts[4])
    plan.first_request = UnsafePointer(texts[5])
    plan.active = UInt32(scenario.active)
    plan.idle = UInt32(scenario.idle)
    plan.in_flight = UInt32(scenario.inFlight)
    plan.greeting_frames = traffic.greetingFrames
    plan.is_fan_out = traffic.isFanOut
    plan.expects_turns = traffic.server == .musubi
    plan.sends_edits = traffic.sendsEdits
    plan.behind = UInt32(scenario.behind)
    plan.resumes = traffic.resumes
    plan.vanishes = traffic.vanishes
    plan.reply_length = UInt32(traffic.answerBytes)
    return withUnsafePointer(to: plan, body)
  }
}

/// Room for a sentence that C code writes.
struct CErrorText {
  private var bytes = [CChar](repeating: 0, count: Int(MUSUBI_ERROR_LENGTH))

  /// The sentence, empty if there is none.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }

  /// Lends the room.
  mutating func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }
}
