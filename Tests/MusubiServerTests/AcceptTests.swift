// SPDX-License-Identifier: Apache-2.0
import Glibc
import MusubiServer
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `Accepting` {
  @Test(arguments: [(Duration.zero, 1), (.seconds(60), 20)])
  func `takes a part of an iteration, and leaves the rest to the next`(
    _ budget: Duration, _ most: Int
  ) async throws {
    try await LiveServer.with({ $0.acceptBudget = budget }) { live in
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (gate, key) = (ends[0], ends[1])
      // The loop stands still until all of them wait.
      live.server.loops[0].enqueue {
        var byte: UInt8 = 0
        _ = read(gate, &byte, 1)
      }

      let clients = try (0..<20).map { _ in try live.client() }
      #expect(write(key, [1], 1) == 1)

      for client in clients { #expect(try client.get("/").status == 200) }
      #expect(await live.server.statistics()[0].mostAccepted == most)
      close(gate)
      close(key)
    }
  }
}
