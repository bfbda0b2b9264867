// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import Musubi

/// What keeps a test's program from serving.
private struct NoServer: Error {}

@Suite(.timeLimit(.minutes(5))) struct `The command line of a program` {
  /// How a command line ended.
  private struct Outcome {
    var status: Int32
    var printed: String
    var complaint: String
    /// What the application was asked for with; nil if the command needs none.
    var configuration: Configuration?
  }

  private func run(
    _ arguments: [String], environment: [String: String] = [:], options: [ProgramOption] = [],
    over configuration: Configuration = Configuration()
  ) async -> Outcome {
    let lines = Mutex<[String]>([])
    var complaint = ""
    var asked: Configuration?
    let program = Program(
      name: "Tea", configuration: configuration, options: options, environment: environment,
      write: { line in lines.withLock { $0.append(line) } }, complain: { complaint += $0 })
    let status = await program.run(arguments) { configuration in
      asked = configuration
      throw NoServer()
    }
    return Outcome(
      status: status, printed: lines.withLock { $0.joined(separator: "\n") }, complaint: complaint,
      configuration: asked)
  }

  @Test(arguments: [["--port", "9"], ["serve", "--port", "9"], ["serve", "--port=9"]])
  func `serves with its options, with the command or without one`(arguments: [String]) async {
    let outcome = await run(arguments)

    #expect(outcome.configuration?.port == 9)
  }

  @Test func `serves without a word, too`() async {
    #expect(await run([]).configuration?.port == 8_080)
  }

  @Test func `an argument wins over a variable, and that over what the program says`() async {
    var configuration = Configuration()
    (configuration.port, configuration.host, configuration.publicFolder) = (1, "::1", "Pages")

    let outcome = await run(
      ["--port", "3"], environment: ["MUSUBI_PORT": "2", "MUSUBI_HOST": "0.0.0.0"], over: configuration)

    #expect(outcome.configuration?.port == 3)
    #expect(outcome.configuration?.host == "0.0.0.0")
    #expect(outcome.configuration?.publicFolder == "Pages")
  }

  @Test func `takes the sockets that were handed over, and else those of the program`() async {
    var configuration = Configuration()
    (configuration.inheritedSockets, configuration.inheritedAdminSocket) = ([7], 8)

    let own = ["LISTEN_FDS": "2", "LISTEN_PID": "\(getpid())", "LISTEN_FDNAMES": "admin:public"]
    let handed = await run([], environment: own, over: configuration).configuration
    let kept = await run([], over: configuration).configuration

    #expect(handed?.inheritedSockets == [4] && handed?.inheritedAdminSocket == 3)
    #expect(kept?.inheritedSockets == [7] && kept?.inheritedAdminSocket == 8)
  }

  @Test func `has options of its own, as arguments and as variables`() async {
    let options = [
      ProgramOption("pot", "NAME", help: "which pot (large)"),
      ProgramOption("leaf-size", "MM", help: "how large"),
      ProgramOption("demo", help: "for guests"),
    ]

    let outcome = await run(
      ["--pot", "small"], environment: ["MUSUBI_LEAF_SIZE": "7", "MUSUBI_POT": "large"], options: options)
    let help = await run(["serve", "--help"], options: options)

    #expect(outcome.configuration?.programOptions == ["pot": "small", "leaf-size": "7"])
    #expect(help.printed.contains("--pot NAME"))
    #expect(help.printed.contains("--demo "))
    #expect(await run(["--demo"], options: options).configuration?.programOptions == ["demo": "true"])
    #expect(await run([]).configuration?.programOptions == [:])
    #expect(await run(["--pot", "small"]).status == 2)
  }

  @Test(arguments: [["--help"], ["-h"], ["help"]])
  func `lists its commands`(arguments: [String]) async {
    let outcome = await run(arguments)

    #expect(outcome.status == 0 && outcome.complaint == "" && outcome.configuration == nil)
    #expect(outcome.printed.hasPrefix("usage: Tea [COMMAND]"))
    for command in Program.Command.allCases {
      #expect(outcome.printed.contains("  \(command) "))
      #expect(outcome.printed.contains(command.summary))
    }
  }

  @Test(arguments: [
    (["serve", "--help"], "--allow-origin"), (["--port", "80", "--help"], "MUSUBI_PORT"),
    (["serve", "--bogus", "-h"], "--dev"), (["script", "--help"], "--junit"),
    (["script", "-h", "--", "--dev"], "--trace"), (["health", "--help"], "MUSUBI_TLS_CERTIFICATE"),
    (["store", "list", "--help"], "put-back"),
  ])
  func `tells the options of each command`(arguments: [String], option: String) async {
    let outcome = await run(arguments)

    #expect(outcome.status == 0 && outcome.complaint == "" && outcome.configuration == nil)
    let command = arguments[0].hasPrefix("-") ? "serve" : arguments[0]
    #expect(outcome.printed.hasPrefix("usage: Tea \(command) "))
    #expect(outcome.printed.contains(option))
  }

  @Test(arguments: [
    ("serv", " (did you mean serve?)"), ("scripts", " (did you mean script?)"), ("frobnicate", ""),
    ("Tea", ""),
  ])
  func `names the nearest command for an unknown one`(word: String, hint: String) async {
    let outcome = await run([word, "--help"])

    #expect(outcome.status == 2)
    #expect(outcome.complaint == "Tea: there is no command \"\(word)\"\(hint); see Tea --help.")
  }

  @Test func `names the nearest option for an unknown one`() async {
    let near = await run(["serve", "--prot", "80"])
    let far = await run(["serve", "--frobnicate"])

    #expect(near.status == 2 && far.status == 2)
    #expect(near.complaint == "Tea: serve has no option --prot (did you mean --port?); see serve --help.")
    #expect(far.complaint == "Tea: serve has no option --frobnicate; see serve --help.")
  }

  @Test func `ends with 1 if the command fails, and with 2 if its words cannot be used`() async {
    #expect(await run(["serve"]).status == 1)
    #expect(await run(["health", "--port", "1"]).status == 1)
    #expect(await run(["health", "--port", "none"]).status == 2)
    #expect(await run(["store", "list"]).status == 2)
    #expect(await run(["script"]).status == 2)
    #expect(await run(["script", "/none.musubi"]).status == 2)
  }

  @Test func `ends the process with that status`() async throws {
    let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
      await Application().run(["serv"], environment: [:])
    }

    let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let name = printed.prefix { $0 != ":" }
    #expect(printed == "\(name): there is no command \"serv\" (did you mean serve?); see \(name) --help.\n")
  }

  @Test func `goes on behind the command if that has done its work`() async throws {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) {
      await Application().run(["--help"], environment: [:])
      exit(7)
    }

    let printed = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    #expect(printed.contains("[COMMAND]"))
  }
}
