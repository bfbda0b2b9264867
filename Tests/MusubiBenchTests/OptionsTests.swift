// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import musubi_bench

@Suite struct `The benchmark's command line` {
  @Test func `modes, lists and numbers are read`() throws {
    let options = try Options(arguments: [
      "fanout", "echo", "--connections", "1,100", "--in-flight", "16", "--servers", "lws,musubi", "--quick",
    ])

    #expect(options.modes == [.fanout, .echo])
    #expect(options.connections == [1, 100])
    #expect(options.inFlight == [16])
    #expect(options.servers == [.lws, .musubi])
    #expect(options.repeatSeconds < Options().repeatSeconds)
  }

  @Test func `without a mode, all but the long ones run`() throws {
    #expect(try Options(arguments: ["--quick"]).modes == Mode.standard)
  }

  @Test func `loads from elsewhere reach servers that listen for all`() throws {
    let options = try Options(arguments: ["echo", "--load", "tcp://10.0.0.2:7070"])

    #expect(options.loadAddress == LoadAddress(host: "10.0.0.2", port: 7070))
    #expect(options.host == "0.0.0.0")
    #expect(try Options(arguments: ["echo"]).host == "127.0.0.1")
    #expect(
      try Options(arguments: ["--load-server", "tcp://0.0.0.0:0"]).loadServer?.description
        == "tcp://0.0.0.0:0")
  }

  @Test(arguments: [
    (["eco"], #"there is no mode "eco"; the modes are echo, "#),
    (["--sconds", "1"], "there is no option --sconds; --help lists them"),
    (["--seconds"], "--seconds needs a value"),
    (["--seconds", "-1"], #"--seconds does not take "-1""#),
    (["--connections", "1,,2"], #"--connections does not take """#),
    (["--load", "10.0.0.2:7070"], #"--load does not take "10.0.0.2:7070""#),
    (["--load", "tcp://10.0.0.2"], #"--load does not take "tcp://10.0.0.2""#),
    (["echo", "--load-server", "tcp://0.0.0.0:7070"], "--load-server measures nothing; "),
    (["--load-server", "tcp://:7070"], #"--load-server does not take "tcp://:7070""#),
    (["--servers", "nginx"], #"--servers does not take "nginx""#),
  ])
  func `a mistake is named`(arguments: [String], message: String) {
    let error = #expect(throws: BenchError.self) { try Options(arguments: arguments) }

    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "no error")")
  }
}

@Suite struct `An order for a load from elsewhere` {
  private func plan(_ change: (inout LoadPlan) -> Void) -> LoadPlan {
    var plan = LoadPlan(
      Scenario(mode: .echo, active: 10), Traffic(server: .musubi, client: .edits), ports: [8_080])
    change(&plan)
    return plan
  }

  @Test func `is as it was when it has crossed the line`() throws {
    let order = LoadOrder.join(plan { $0.idle = 3 }, limit: .events(7))

    #expect(try JSONDecoder().decode(LoadOrder.self, from: JSONEncoder().encode(order)) == order)
  }

  @Test func `is obeyed if a benchmark sends it`() {
    #expect(LoadOrder.open(plan { _ in }).problem(maxConnections: 10) == nil)
    #expect(LoadOrder.run(load: 1, limit: .seconds(0.15)).problem(maxConnections: 10) == nil)
    #expect(LoadOrder.run(load: 1, limit: .events(25_000)).problem(maxConnections: 10) == nil)
  }

  @Test func `has bounds`() {
    for wrong in [
      plan { $0.active = 11 }, plan { ($0.active, $0.idle) = (0, 0) }, plan { $0.ports = [] },
      plan { $0.ports = [1, 2, 3, 4] }, plan { $0.inFlight = 0 },
      plan { ($0.active, $0.idle, $0.isFanOut) = (0, 1, true) }, plan { $0.inFlight = 1_025 },
      plan { $0.behind = 1_025 }, plan { $0.request = String(repeating: "x", count: 257) },
    ] {
      #expect(LoadOrder.open(wrong).problem(maxConnections: 10) != nil, "\(wrong)")
      #expect(LoadOrder.join(wrong, limit: .events(1)).problem(maxConnections: 10) != nil, "\(wrong)")
    }
    for seconds in [-1, 3_601, .infinity, .nan] {
      #expect(LoadOrder.rest(load: 1, seconds: seconds).problem(maxConnections: 10) != nil)
      #expect(LoadOrder.run(load: 1, limit: .seconds(seconds)).problem(maxConnections: 10) != nil)
    }
  }
}
