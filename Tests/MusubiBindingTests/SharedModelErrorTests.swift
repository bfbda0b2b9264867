// SPDX-License-Identifier: Apache-2.0
import MusubiWire
import Testing

@testable import MusubiBinding

/// A jar that takes so much.
private final class Jar: SharedModel, Restorable {
  struct Full: Error, Equatable, Codable {
    let limit: Int
  }

  var state = 0

  func handle(_ amount: Int, from sender: Visitor) async throws(Full) {
    guard state + amount <= 10 else { throw Full(limit: 10) }
    state += amount
  }
}

@Suite(.timeLimit(.minutes(5))) struct `An error of a shared model` {
  private let command = ModelCommand(key: "a/1", sender: .anonymous, value: 11, isRecorded: true)

  /// What comes of the command.
  private func outcome(_ host: ModelHost<Jar>) async -> (any Error)? {
    var outcome: ModelResult?
    host.onResult = { outcome = $1 }
    host.perform(command)
    await host.settle()
    guard case .failure(let error) = outcome else { return nil }
    return error
  }

  @Test func `is told again as it is after a restart`() async throws {
    let host = ModelHost(Jar())
    #expect(await outcome(host) as? Jar.Full == Jar.Full(limit: 10))

    let stored = try ValueDecoder.decode(
      StoredModel.self, as: StoredModel.self, from: ValueEncoder.encode(host.state))
    #expect(await outcome(ModelHost(Jar(), restoring: stored)) as? Jar.Full == Jar.Full(limit: 10))
  }

  @Test func `goes to another server as it is, or as its description`() {
    struct Other: Error {}
    let error = { (result: ModelResult) -> (any Error)? in
      guard case .failure(let error) = result.sent.received(as: Void.self, or: Jar.Full.self) else {
        return nil
      }
      return error
    }

    #expect(error(.failure(Jar.Full(limit: 3))) as? Jar.Full == Jar.Full(limit: 3))
    #expect(error(.failure(Other())) as? SharedModelError == .failed("Other()"))
    #expect(error(.failure(SharedModelError.busy)) as? SharedModelError == .busy)
    #expect(
      SentError(SentContent(json: Array("[]".utf8)), description: "old").decoded(as: Jar.Full.self)
        as? SharedModelError == .failed("old"))
  }
}
