// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// What the connections of a load send, and to which ports.
struct LoadPlan: Codable, Equatable {
  var ports: [UInt16]
  var security: UInt32
  var path, resumePath, idlePath: String
  var request, firstRequest: String
  var active, idle, inFlight, behind: UInt32
  var greetingFrames, answerBytes: UInt32
  var isFanOut, expectsTurns, sendsEdits, resumes, vanishes: Bool

  /// - Parameters:
  ///   - scenario: How many connections, and how many messages in flight.
  ///   - traffic: What they send.
  ///   - ports: Where they go, in turn.
  init(_ scenario: Scenario, _ traffic: Traffic, ports: [UInt16]) {
    self.ports = ports
    security = traffic.security.rawValue
    (path, resumePath, idlePath) = (traffic.path, traffic.resumePath, traffic.idlePath)
    (request, firstRequest) = (traffic.request(isFirst: false), traffic.request(isFirst: true))
    (active, idle) = (UInt32(scenario.active), UInt32(scenario.idle))
    (inFlight, behind) = (UInt32(scenario.inFlight), UInt32(scenario.behind))
    (greetingFrames, answerBytes) = (traffic.greetingFrames, UInt32(traffic.answerBytes))
    (isFanOut, sendsEdits) = (traffic.isFanOut, traffic.sendsEdits)
    expectsTurns = traffic.server == .musubi
    (resumes, vanishes) = (traffic.resumes, traffic.vanishes)
  }

  /// Lends the plan to C.
  ///
  /// - Parameters:
  ///   - address: The IPv4 address of the servers.
  ///   - body: Copies what it needs.
  /// - Returns: What `body` returns.
  func withPlan<Result>(to address: String, _ body: (UnsafePointer<musubi_load_plan>) -> Result) -> Result {
    var plan = musubi_load_plan()
    let texts = [address, path, resumePath, idlePath, "musubi.v1", request, firstRequest].map {
      (text: String) in strdup(text)
    }
    defer { texts.forEach { free($0) } }
    plan.address = UnsafePointer(texts[0])
    plan.port = ports.first ?? 0
    plan.further_port_count = UInt32(min(max(1, ports.count) - 1, Int(MUSUBI_FURTHER_PORTS)))
    withUnsafeMutableBytes(of: &plan.further_ports) { further in
      ports.dropFirst().withUnsafeBytes { further.copyBytes(from: $0.prefix(further.count)) }
    }
    plan.security = musubi_security(security)
    plan.path = UnsafePointer(texts[1])
    plan.resume_path = UnsafePointer(texts[2])
    plan.idle_path = UnsafePointer(texts[3])
    plan.protocol = UnsafePointer(texts[4])
    plan.request = UnsafePointer(texts[5])
    plan.first_request = UnsafePointer(texts[6])
    plan.active = active
    plan.idle = idle
    plan.in_flight = inFlight
    plan.greeting_frames = greetingFrames
    plan.is_fan_out = isFanOut
    plan.expects_turns = expectsTurns
    plan.sends_edits = sendsEdits
    plan.behind = behind
    plan.resumes = resumes
    plan.vanishes = vanishes
    plan.reply_length = answerBytes
    return withUnsafePointer(to: plan, body)
  }
}

/// Where a run ends.
enum LoadLimit: Codable, Equatable {
  case seconds(Double)
  case events(Int)

  /// The same for C.
  var value: musubi_load_limit {
    switch self {
    case .seconds(let seconds): musubi_load_limit(seconds: seconds, events: 0)
    case .events(let events): musubi_load_limit(seconds: 600, events: UInt64(max(1, events)))
    }
  }
}

/// What a run found, as `musubi_load_result` explains it; times in nanoseconds.
struct LoadResult: Codable, Equatable {
  var events, allEvents, publications: UInt64
  var frames, effectFrames: UInt64
  var bytesReceived, bytesSent: UInt64
  var elapsed, loadCPU, serverCPU: UInt64
  var p50, p99: UInt64

  init(_ result: musubi_load_result) {
    (events, allEvents, publications) = (result.events, result.all_events, result.publications)
    (frames, effectFrames) = (result.frames_received, result.effect_frames)
    (bytesReceived, bytesSent) = (result.payload_bytes_received, result.payload_bytes_sent)
    (elapsed, loadCPU, serverCPU) = (result.elapsed_ns, result.load_cpu_ns, result.server_cpu_ns)
    (p50, p99) = (result.p50_ns, result.p99_ns)
  }
}
