// SPDX-License-Identifier: Apache-2.0
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
    (["--load-server", "tcp://:7070"], #"--load-server does not take "tcp://:7070""#),
    (["--servers", "nginx"], #"--servers does not take "nginx""#),
  ])
  func `a mistake is named`(arguments: [String], message: String) {
    let error = #expect(throws: BenchError.self) { try Options(arguments: arguments) }

    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "no error")")
  }
}
