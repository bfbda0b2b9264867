// SPDX-License-Identifier: Apache-2.0
import Musubi
import Testing

@testable import MusubiAccounts

@Suite struct `Attempts` {
  private let limits = ThrottleLimits(free: 3, longestWait: .seconds(8), memory: .seconds(60))

  private func throttle(maxEntries: Int = 50_000) -> Throttle<String> {
    let limits = limits
    return Throttle(maxEntries: maxEntries) { _ in limits }
  }

  @Test func `are free first, then wait twice as long each`() {
    let throttle = throttle()
    var now = Duration.zero
    var waits: [Int] = []

    for _ in 1...9 {
      if let wait = throttle.admit(["ann"], at: now) {
        waits.append(wait)
        now += .seconds(wait)
        #expect(throttle.admit(["ann"], at: now) == nil)
      }
    }

    #expect(waits == [2, 3, 5, 9, 9, 9])
  }

  @Test func `that are refused do not count`() {
    let throttle = throttle()
    for _ in 1...100 { _ = throttle.admit(["ann"], at: .zero) }

    #expect(throttle.admit(["ann"], at: .seconds(1)) == nil)
  }

  @Test func `are forgotten after a quiet time, or when they were right`() {
    let throttle = throttle()
    for _ in 1...3 { _ = throttle.admit(["ann", "bob", "cem"], at: .zero) }

    throttle.giveBack("ann")
    throttle.forget("bob")

    #expect(throttle.admit(["ann"], at: .zero) == nil)
    #expect(throttle.admit(["bob"], at: .zero) == nil)
    #expect(throttle.admit(["cem"], at: .zero) != nil)
    #expect(throttle.admit(["cem"], at: .seconds(61)) == nil)
    #expect(throttle.admit(["cem"], at: .seconds(61)) == nil)
  }

  @Test func `that were right have nobody else wait, however many were wrong before`() {
    let throttle = throttle()
    var now = Duration.zero
    for _ in 1...6 {
      while throttle.admit(["office"], at: now) != nil { now += .seconds(1) }
    }
    while throttle.admit(["office"], at: now) != nil { now += .seconds(1) }
    throttle.giveBack("office")

    #expect(throttle.admit(["office"], at: now) == nil, "The next one comes in at once.")
    #expect(throttle.admit(["office"], at: now) != nil, "If that was wrong, the one behind it waits.")
  }

  @Test func `that were right have the wrong ones remembered no longer`() {
    let throttle = throttle()
    for _ in 1...3 { _ = throttle.admit(["office"], at: .zero) }
    for second in stride(from: 10, to: 60, by: 10) {
      #expect(throttle.admit(["office"], at: .seconds(second)) == nil)
      throttle.giveBack("office")
    }

    for _ in 1...3 { #expect(throttle.admit(["office"], at: .seconds(61)) == nil, "They are free again.") }
  }

  @Test func `count for nobody if one of several must wait`() {
    let throttle = throttle()
    for _ in 1...3 { _ = throttle.admit(["ann"], at: .zero) }

    for _ in 1...10 { #expect(throttle.admit(["ann", "bob"], at: .zero) != nil) }

    #expect(throttle.count == 1)
  }

  @Test func `of a hundred thousand others do not make one forget whom somebody attacks`() {
    let throttle = throttle(maxEntries: 1_000)
    for _ in 1...3 { _ = throttle.admit(["ann"], at: .zero) }

    for number in 1...100_000 { _ = throttle.admit(["\(number)"], at: .milliseconds(number / 200)) }

    #expect(throttle.count <= 1_000)
    #expect(throttle.admit(["ann"], at: .milliseconds(500)) != nil)
  }
}
