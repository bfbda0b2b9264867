// SPDX-License-Identifier: Apache-2.0
import CBaseline
import Foundation

/// What a machine that makes loads says first.
struct LoadGreeting: Codable, Equatable {
  let machine: String
  /// The most connections that it opens.
  let maxConnections: Int
}

/// Loads that another machine makes, so that the servers have this one for themselves.
final class RemoteLoads: LoadMaker {
  /// Who makes them.
  let greeting: LoadGreeting
  private let socket: LineSocket

  /// Connects to `musubi-bench --load-server`.
  ///
  /// - Throws: `BenchError` if nobody makes loads there.
  init(at address: LoadAddress) throws(BenchError) {
    signal(SIGPIPE, SIG_IGN)
    socket = try LineSocket.connect(to: address)
    guard let greeting = try socket.receive(LoadGreeting.self, within: 10) else {
      throw BenchError("\(address) makes no load: it may be at work for another benchmark")
    }
    self.greeting = greeting
  }

  func obey(_ order: LoadOrder, server: Int32) throws(BenchError) -> LoadAnswer {
    let before = musubi_process_cpu_ns(server)
    try socket.send(order)
    guard var answer = try socket.receive(LoadAnswer.self, within: 3_700) else {
      throw BenchError("the machine that makes the load does not answer")
    }
    if let error = answer.error { throw BenchError(error) }
    if let result = answer.result {
      // Only this machine knows it, and only up to the last answer, which may come after the time is up.
      let share = Double(result.events) / Double(max(1, result.allEvents))
      answer.result?.serverCPU = UInt64(Double(musubi_process_cpu_ns(server) &- before) * share)
    }
    return answer
  }
}

/// Makes loads for benchmarks on other machines, one after the other.
///
/// Connections go to the machine that asks, and nowhere else. They end when it goes, or asks for nothing for a quarter of an hour.
enum LoadServer {
  /// Serves until the process is ended.
  ///
  /// - Throws: `BenchError` if it cannot listen.
  static func run(at address: LoadAddress, maxConnections: Int) throws(BenchError) -> Never {
    signal(SIGPIPE, SIG_IGN)
    let (listener, port) = try LineSocket.listen(at: address)
    print("making loads at \(LoadAddress(host: address.host, port: port)), for one benchmark at a time")
    fflush(nil)
    while true {
      var peer = ""
      do throws(BenchError) {
        let socket: LineSocket
        (socket, peer) = try LineSocket.accept(from: listener)
        try socket.send(LoadGreeting(machine: Machine.description, maxConnections: maxConnections))
        try serve(socket, OwnLoads(to: peer), maxConnections)
        print("\(peer) has gone")
      } catch {
        print("\(peer): \(error)")
        // An accept may fail again and again.
        sleep(1)
      }
      fflush(nil)
    }
  }

  private static func serve(
    _ socket: LineSocket, _ loads: OwnLoads, _ maxConnections: Int
  ) throws(BenchError) {
    while let order = try socket.receive(LoadOrder.self, within: 900) {
      var answer: LoadAnswer
      do throws(BenchError) {
        if let problem = order.problem(maxConnections: maxConnections) { throw BenchError(problem) }
        answer = try loads.obey(order, server: 0)
      } catch {
        answer = LoadAnswer(error: error.description)
      }
      try socket.send(answer)
    }
  }
}
