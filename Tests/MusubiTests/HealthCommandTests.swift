// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Musubi

@Suite struct `The command line of health` {
  private func ask(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws(CommandLineError) -> (status: Int32, sentence: String) {
    var sentences: [String] = []
    let status = try HealthCommand.run(arguments, environment: environment) { sentences.append($0) }
    return (status, sentences.joined(separator: "\n"))
  }

  @Test func `fails with a sentence where nobody listens`() throws {
    let answer = try ask(["--port", "1"])

    #expect(answer == (1, "The server on port 1 is not well: Connection refused."))
  }

  @Test func `asks this machine if the server listens everywhere`() throws {
    let answer = try ask([], environment: ["MUSUBI_HOST": "0.0.0.0", "MUSUBI_PORT": "1"])

    #expect(answer == (1, "The server on port 1 is not well: Connection refused."))
  }

  @Test(arguments: ["0", "65536", "http"]) func `names a port that cannot be one`(port: String) {
    let error = #expect(throws: CommandLineError.self) { try ask(["--port", port]) }

    #expect(error?.description == "--port takes a number from 1 to 65535, but \"\(port)\" came.")
  }
}
