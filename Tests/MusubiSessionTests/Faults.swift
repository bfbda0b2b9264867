// SPDX-License-Identifier: Apache-2.0
import MusubiTesting

/// Everything that can happen to the scripted session, counted from a run in which nothing does.
///
/// In the simulator a frame arrives whole or not at all, so all cuts inside of one frame come to the same: those *cases*
/// are what products of several cuts are made of, and the bytes are tried one by one beside them.
struct Faults {
  typealias Fault = FaultyRun.Fault
  typealias Cut = FaultyRun.Fault.Cut

  /// A run in which nothing goes wrong.
  let calm: FaultyRun

  init() {
    calm = FaultyRun(Fault())
    _ = calm.run()
  }

  // MARK: - Cuts

  /// The cuts between and inside of the frames of a connection that was carried out: one for each case.
  static func cases(_ link: SimulatedLink) -> [Cut] {
    let (up, down) = link.frameEnds
    return ([0] + up.dropLast()).map { Cut(toServer: $0) } + ([0] + down.dropLast()).map { Cut(toPage: $0) }
  }

  /// A cut at each byte of a connection, in both directions.
  static func bytes(_ link: SimulatedLink) -> [Cut] {
    (0..<link.sent.toServer).map { Cut(toServer: $0) } + (0..<link.sent.toPage).map { Cut(toPage: $0) }
  }

  /// The first connection is cut at every byte.
  var firstCuts: [[Cut]] { Self.bytes(calm.traffic[0]).map { [$0] } }

  /// The page comes back while earlier frames are still on their way; they arrive after its return.
  ///
  /// - Parameter cuts: Of which cuts of the first connection.
  /// - Returns: The cuts, each by itself.
  func stragglers(_ cuts: (SimulatedLink) -> [Cut]) -> [[Cut]] {
    [25, 60].flatMap { delay in
      cuts(calm.traffic[0]).filter { $0.toPage != nil }
        .map { [Cut(toPage: $0.toPage, linger: .milliseconds(delay))] }
    }
  }

  // MARK: - Kills and refusals

  /// The server is killed after each step, and the commit under way is there or is not.
  var kills: [Fault] {
    [1, 2].flatMap { loops in
      [Duration.milliseconds(1), .milliseconds(12)].flatMap { commit -> [Fault] in
        let calm = FaultyRun(Fault(commit: commit, loops: loops))
        _ = calm.run()
        return (1...calm.steps).flatMap { step in
          [true, false].map { Fault(kills: [step], keepsInterrupted: $0, commit: commit, loops: loops) }
        }
      }
    }
  }

  /// The server is killed after each step, and again after each `stride`-th of those that follow, and again.
  func repeatedKills(stride width: Int) -> [Fault] {
    (1...calm.steps).flatMap { step in
      stride(from: step + 1 + step % width, to: calm.steps + 60, by: width).map { second in
        Fault(
          kills: [step, second, second + 10 + step % 40], keepsInterrupted: second % 2 == 0,
          commit: .milliseconds(step % 7))
      }
    }
  }

  /// The store refuses each commit, and each three in a row.
  var refusals: [Fault] {
    (1...calm.commits).flatMap { [Fault(refusals: [$0]), Fault(refusals: [$0, $0 + 1, $0 + 2])] }
  }

  /// The store refuses each commit, and the server is killed after each `stride`-th step from there on.
  func refusalsAndKills(stride width: Int) -> [Fault] {
    (1...calm.commits).flatMap { commit in
      stride(from: 1 + commit % width, to: calm.steps + 60, by: width).map {
        Fault(kills: [$0], refusals: [commit, commit + 1])
      }
    }
  }

  /// The server is killed after each `kill`-th step, and the connection after that is cut in each case.
  func killsAndCuts(stride width: Int) -> [Fault] {
    stride(from: 1, to: calm.steps, by: width).flatMap { step -> [Fault] in
      let killed = FaultyRun(Fault(kills: [step], commit: .milliseconds(4)))
      _ = killed.run()
      guard killed.traffic.count > 1 else { return [] }
      return Self.cases(killed.traffic[1]).map {
        Fault(cuts: [Cut(), $0, $0], kills: [step], commit: .milliseconds(4))
      }
    }
  }
}
