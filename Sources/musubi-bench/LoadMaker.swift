// SPDX-License-Identifier: Apache-2.0
import CBaseline

/// One thing to do with loads.
enum LoadOrder: Codable, Equatable {
  /// Open the connections of a load; the answer has its number.
  case open(LoadPlan)
  /// Send until the limit; the answer has the result.
  case run(load: Int, limit: LoadLimit)
  /// Keep the connections open without sending.
  case rest(load: Int, seconds: Double)
  /// Join and leave until the limit; the answer has the result.
  case join(LoadPlan, limit: LoadLimit)
  /// Close the connections of a load.
  case close(load: Int)
}

extension LoadOrder {
  /// The longest text that a plan's pieces, and what C writes them into, have room for.
  private static let maxText = 256
  private static let maxSeconds = 3_600.0

  /// What is wrong with an order that comes from elsewhere.
  ///
  /// - Parameter maxConnections: The most that one plan may have.
  /// - Returns: One sentence; nil if it can be obeyed.
  func problem(maxConnections: Int) -> String? {
    switch self {
    case .open(let plan): Self.problem(of: plan, maxConnections)
    case .run(_, let limit): Self.problem(of: limit)
    case .rest(_, let seconds): Self.problem(of: .seconds(seconds))
    case .join(let plan, let limit): Self.problem(of: plan, maxConnections) ?? Self.problem(of: limit)
    case .close: nil
    }
  }

  private static func problem(of plan: LoadPlan, _ maxConnections: Int) -> String? {
    let texts = [plan.path, plan.resumePath, plan.idlePath, plan.request, plan.firstRequest]
    return if !(1...1 + Int(MUSUBI_FURTHER_PORTS)).contains(plan.ports.count) {
      "A plan has one to three ports."
    } else if !(1...maxConnections).contains(Int(plan.active) + Int(plan.idle)) {
      "A plan has 1 to \(maxConnections) connections."
    } else if plan.isFanOut, plan.active == 0 {
      "In a fan-out somebody takes part."
    } else if !(1...1_024).contains(plan.inFlight) || plan.behind > 1_024 {
      "A plan has 1 to 1,024 messages in flight, and is at most as many revisions behind."
    } else if texts.contains(where: { $0.utf8.count > maxText }) {
      "A text of a plan has at most \(maxText) bytes."
    } else {
      nil
    }
  }

  private static func problem(of limit: LoadLimit) -> String? {
    if case .seconds(let seconds) = limit, !(0...maxSeconds).contains(seconds) {
      return "A run takes at most \(Int(maxSeconds)) seconds."
    }
    return nil
  }
}

/// What has become of an order.
struct LoadAnswer: Codable, Equatable {
  /// Why it failed; nil if it did not.
  var error: String?
  var load: Int?
  var result: LoadResult?
}

/// Who makes loads: this process, or one on another machine.
protocol LoadMaker: AnyObject {
  /// Does something, and waits for its end.
  ///
  /// - Parameters:
  ///   - order: What.
  ///   - server: The process whose CPU time belongs to the result.
  /// - Returns: What has come of it.
  /// - Throws: `BenchError` if it failed.
  func obey(_ order: LoadOrder, server: Int32) throws(BenchError) -> LoadAnswer
}

/// Loads of this process.
final class OwnLoads: LoadMaker {
  private static let maxLoads = 64
  private let address: String
  private var loads: [Int: OpaquePointer] = [:]
  private var nextNumber = 1

  /// - Parameter address: The IPv4 address of the servers.
  init(to address: String = "127.0.0.1") { self.address = address }

  deinit { loads.values.forEach { musubi_load_close($0) } }

  func obey(_ order: LoadOrder, server: Int32) throws(BenchError) -> LoadAnswer {
    switch order {
    case .open(let plan): return LoadAnswer(load: try open(plan))
    case .run(let number, let limit):
      let load = try load(number)
      return LoadAnswer(result: try Self.result { musubi_load_run(load, limit.value, server, &$0) })
    case .rest(let number, let seconds):
      guard musubi_load_rest(try load(number), seconds) else {
        throw BenchError("an idle connection was closed")
      }
      return LoadAnswer()
    case .join(let plan, let limit):
      return LoadAnswer(
        result: try Self.result { result in
          plan.withPlan(to: address) { musubi_load_join($0, limit.value, server, &result) }
        })
    case .close(let number):
      musubi_load_close(try load(number))
      loads[number] = nil
      return LoadAnswer()
    }
  }

  private func open(_ plan: LoadPlan) throws(BenchError) -> Int {
    guard loads.count < Self.maxLoads else { throw BenchError("There are \(Self.maxLoads) loads already.") }
    let (load, error) = plan.withPlan(to: address) { plan in
      var reason = CErrorText()
      let load = reason.withBuffer { musubi_load_open(plan, $0) }
      return (load, reason.text)
    }
    guard let load else { throw BenchError(error) }
    defer { nextNumber += 1 }
    loads[nextNumber] = load
    return nextNumber
  }

  private func load(_ number: Int) throws(BenchError) -> OpaquePointer {
    guard let load = loads[number] else { throw BenchError("there is no load \(number)") }
    return load
  }

  private static func result(_ body: (inout musubi_load_result) -> Void) throws(BenchError) -> LoadResult {
    var result = musubi_load_result()
    body(&result)
    let error = withUnsafeBytes(of: result.error) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard error.isEmpty else { throw BenchError(error) }
    return LoadResult(result)
  }
}

/// Room for a sentence that C code writes.
private struct CErrorText {
  private var bytes = [CChar](repeating: 0, count: Int(MUSUBI_ERROR_LENGTH))

  /// The sentence, empty if there is none.
  var text: String { String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) }

  /// Lends the room.
  mutating func withBuffer<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }
}
