// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Musubi
@testable import MusubiCommand

@Suite struct `The command line of musubi` {
  private func run(_ words: String..., folder: String = "/nowhere") -> (
    status: Int32, printed: String, said: String
  ) {
    var (printed, said) = ("", "")
    let tool = Tool(folder: folder, write: { printed += $0 }, complain: { said += $0 })
    return (tool.run(words), printed, said)
  }

  @Test func `sends who asks it for a command of the program there`() {
    let others = Set(Program.Command.allCases.map(\.rawValue)).subtracting(
      Tool.Command.allCases.map(\.rawValue))
    #expect(Tool.programCommands == others)
    let outcome = run("script", "Tests")
    #expect(outcome.status == 2)
    #expect(outcome.said == "musubi: script is a command of the program itself: swift run NAME script.")
  }

  @Test func `lists its commands, also to who gives none`() {
    for outcome in [run("--help"), run("-h"), run("help"), run()] {
      #expect(outcome.printed.hasPrefix("usage: musubi COMMAND"))
      for command in Tool.Command.allCases { #expect(outcome.printed.contains(command.summary)) }
    }
    #expect(run("--help").status == 0 && run().status == 2)
  }

  @Test(arguments: [
    ("new", "--style"), ("dev", "--port"), ("build", "--product"), ("check", "swift run NAME check --help"),
    ("bench", "--visitors"),
  ])
  func `tells the options of each command`(command: String, option: String) {
    let outcome = run(command, "--help")

    #expect(outcome.status == 0 && outcome.printed.hasPrefix("usage: musubi \(command) "))
    #expect(outcome.printed.contains(option) && !outcome.printed.contains("MUSUBI_"))
  }

  @Test func `names the nearest command for an unknown one`() {
    let outcome = run("nwe", "Tea")

    #expect(outcome.status == 2)
    #expect(outcome.said == "musubi: there is no command \"nwe\" (did you mean new?); see musubi --help.")
  }

  @Test func `says where it is needed if there is no package`() {
    let outcome = run("check", folder: "/")

    #expect(outcome.status == 1)
    #expect(outcome.said == "musubi: there is no Package.swift in /; go to the folder of the package.")
    #expect(run("dev", folder: "/").said == outcome.said)
    let misused = run("dev", "--port", "70000", folder: "/")
    #expect(misused.status == 2)
    #expect(misused.said == "musubi: --port takes a number from 0 to 65535, but \"70000\" came.")
    #expect(run("build", "--producd", "Tea").said.contains("did you mean --product?"))
  }

  @Test(
    arguments: [
      (["--product", "Tea", "--public", "Pages"], "Tea", ["--public", "Pages"]),
      (["--public", "Pages", "--product=Tea"], "Tea", ["--public", "Pages"]),
      (["--public", "Pages"], nil, ["--public", "Pages"]), (["--product"], nil, ["--product"]),
    ] as [([String], String?, [String])])
  func `takes the program to check from the options of the check`(
    words: [String], product: String?, others: [String]
  ) {
    let found = PackageCommand.product(in: words)

    #expect(found.name == product && found.others == others)
  }

  @Test func `knows the package's own programs among those of others`() throws {
    let list = #"[{"name":"Tea"},{"name":"gallery","package":"musubi"}]"#

    #expect(try ProgramOfPackage.programs(in: Data(list.utf8)) == ["Tea"])
  }
}
