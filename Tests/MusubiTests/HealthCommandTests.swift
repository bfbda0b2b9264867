// SPDX-License-Identifier: Apache-2.0
import Glibc
import Musubi
import Testing

@Suite struct `The command line of health` {
  private func ask(
    _ arguments: [String], environment: [String: String] = [:]
  ) -> (status: Int32, sentence: String) {
    var sentences: [String] = []
    let status = HealthCommand.run(arguments, environment: environment) { sentences.append($0) }
    return (status, sentences.joined(separator: "\n"))
  }

  @Test func `fails with a sentence where nobody listens`() {
    let answer = ask(["--port", "1"])

    #expect(answer == (1, "The server on port 1 is not well: Connection refused."))
  }

  @Test func `asks this machine if the server listens everywhere`() {
    let answer = ask([], environment: ["MUSUBI_HOST": "0.0.0.0", "MUSUBI_PORT": "1"])

    #expect(answer == (1, "The server on port 1 is not well: Connection refused."))
  }

  @Test(arguments: ["0", "65536", "http"]) func `names a port that cannot be one`(port: String) {
    let answer = ask(["--port", port])

    #expect(answer == (2, "--port takes a number from 1 to 65535, but \"\(port)\" came."))
  }

  @Test func `prints its options if that is asked for`() {
    let answer = ask(["--help"])

    #expect(answer.status == 0)
    #expect(["--port", "--host", "MUSUBI_TLS_CERTIFICATE"].allSatisfy(answer.sentence.contains))
  }
}
