// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Musubi

@Suite(.timeLimit(.minutes(5))) struct `The command line of store` {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("musubi-\(UUID().uuidString)").path

  private func problem(_ arguments: [String], environment: [String: String] = [:]) async -> String? {
    let error = await #expect(throws: CommandLineError.self) {
      try await StoreCommand.run(arguments, environment: environment) { _ in }
    }
    return error?.description
  }

  @Test func `needs a data folder, as an argument or from the environment`() async {
    #expect(
      await problem(["list"]) == "store needs the place of the server's state: --data DIR, or --store URL.")
    #expect(await problem(["list"], environment: ["MUSUBI_DATA": folder])?.contains(folder) == true)
  }

  @Test func `needs both places for an import`() async {
    let both = "store import needs both: --data DIR with sessions.sqlite, and --store URL."
    #expect(await problem(["import", "--data", folder]) == both)
    #expect(await problem(["import", "--store", "postgres://a@127.0.0.1:1/b"]) == both)
    #expect(
      await problem(["import", "--data", folder, "--store", "postgres://a@127.0.0.1:1/b"])?
        .hasPrefix("There is no sessions.sqlite") == true)
  }

  @Test func `creates nothing where no server has stored anything`() async {
    let sentence = await problem(["list", "--data", folder])

    #expect(
      sentence
        == "There is no sessions.sqlite in \(folder); name the folder that the server is given by --data.")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test(arguments: [[], ["lift"], ["lift", "x"], ["list", "3"], ["show", "1", "2"], ["drop", "1"]])
  func `names its verbs if it is given another word`(words: [String]) async {
    let sentence = await problem(words + ["--data", folder])

    #expect(
      sentence?.hasPrefix("store takes list, lift N, lift all, show N, put-back N, delete N or import")
        == true)
    #expect(sentence?.contains("\"\(words.joined(separator: " "))\"") == true)
  }
}
