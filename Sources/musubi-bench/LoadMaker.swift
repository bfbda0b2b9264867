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
