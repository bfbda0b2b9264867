// SPDX-License-Identifier: Apache-2.0
import Musubi
import Testing

@Suite struct `A throttle of requests` {
  private func attempt(from address: String) -> Request { Request("/join", remoteAddress: address) }

  @Test(arguments: [
    // Also a loopback address: nothing else keeps visitors of a proxy that has no name from guessing.
    ("127.0.0.1", "127.0.0.1", true), ("::1", "::1", true), ("192.0.2.1", "192.0.2.1", true),
    ("192.0.2.1", "192.0.2.2", false), ("2001:db8::1", "2001:db8::2", true),
    ("2001:db8::1", "2001:db8:0:1::1", false),
  ])
  func `makes an address wait, and nobody elsewhere`(one: String, other: String, waits: Bool) {
    let throttle = RequestThrottle(free: 3)

    for _ in 1...3 { #expect(throttle.admit(attempt(from: one)) == nil) }

    #expect((throttle.admit(attempt(from: one)) ?? 0) > 0)
    #expect((throttle.admit(attempt(from: other)) != nil) == waits)
  }

  @Test func `does not count what was right`() {
    let throttle = RequestThrottle(free: 3)

    for _ in 1...10 {
      #expect(throttle.admit(attempt(from: "127.0.0.1")) == nil)
      throttle.giveBack(attempt(from: "127.0.0.1"))
    }
  }
}
