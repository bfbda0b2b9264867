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

  @Test(arguments: [
    (["eco"], #"there is no mode "eco"; the modes are echo, "#),
    (["--sconds", "1"], "there is no option --sconds; --help lists them"),
    (["--seconds"], "--seconds needs a value"),
    (["--seconds", "-1"], #"--seconds does not take "-1""#),
    (["--connections", "1,,2"], #"--connections does not take """#),
    (["--servers", "nginx"], #"--servers does not take "nginx""#),
  ])
  func `a mistake is named`(arguments: [String], message: String) {
    let error = #expect(throws: BenchError.self) { try Options(arguments: arguments) }

    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "no error")")
  }
}
