// SPDX-License-Identifier: Apache-2.0
import MusubiTesting

/// What goes wrong with a simulated cluster.
struct ClusterFaults {
  private let cluster: SimulatedCluster
  private let below: (Int) -> Int
  /// When the last of it is over.
  private(set) var end: Duration = .zero
  private var hasGone = false

  init(_ cluster: SimulatedCluster, _ below: @escaping (Int) -> Int) {
    (self.cluster, self.below) = (cluster, below)
  }

  private var network: SimulatedNetwork { cluster.network }

  /// One thing goes wrong, for a while.
  mutating func happen() {
    let count = cluster.servers.count
    let (one, other) = (below(count), below(count))
    let pause = Duration.milliseconds([10, 300, 1_500, 4_000][below(4)] + below(300))
    end = max(end, network.now + pause)
    switch below(28) {
    case 0..<3: note("killed") { cluster.kill(one, for: pause) }
    case 3..<6: note("paused") { cluster.pause(one, for: pause) }
    case 6..<9: note("cut off") { cluster.cut(one, for: pause) }
    case 9, 10:
      guard one != other else { return }
      note("link cut") { cluster.cutLink(one, other, for: pause, isStopped: false) }
    case 11:
      guard one != other else { return }
      note("link stopped") { cluster.cutLink(one, other, for: pause, isStopped: true) }
    case 12, 13:
      cluster.count("answers lost")
      cluster.dropsUntil = network.now + pause
    case 14, 15: delay(pause)
    case 16: note("restarted") { cluster.restartEngine(for: outage(pause), isReplaced: false) }
    case 17, 18: note("failed over") { cluster.restartEngine(for: outage(pause), isReplaced: true) }
    case 19: note("divided") { cluster.divide(Set((0..<count).filter { _ in below(2) == 0 }), for: pause) }
    case 20: fill(pause)
    case 21: note("drained") { cluster.drain(one) }
    case 22:
      // A machine has gone for good.
      guard !hasGone else { return }
      hasGone = true
      note("gone") { cluster.kill(one, for: .seconds(600)) }
    case 23..<26: comeLate(one)
    default:
      cluster.count("clock set")
      network.nodes[one].wallError += .milliseconds(below(120_000) - 60_000)
    }
  }

  private func note(_ kind: String, _ work: () -> Void) {
    cluster.count(kind)
    work()
  }

  /// So short that nobody notices, or so long that everybody does.
  private func outage(_ pause: Duration) -> Duration {
    pause < .seconds(1) ? .milliseconds(below(250)) : pause + .milliseconds(500)
  }

  /// Statements lie about before they begin, and take long to come to the disk.
  private func delay(_ pause: Duration) {
    cluster.count("database slow")
    cluster.slowDown(
      delay: .milliseconds([50, 3_000][below(2)]), flush: .milliseconds([20, 700][below(2)]), for: pause)
  }

  /// A server's last commits arrive when others take its slots, and take their time.
  private mutating func comeLate(_ one: Int) {
    let pause = Duration.milliseconds(1_100 + below(700))
    end = max(end, network.now + .seconds(4))
    cluster.count("commits late")
    cluster.cut(one, for: pause)
    cluster.slowDown(delay: .zero, flush: .milliseconds(100 + below(600)), for: .seconds(3))
  }

  /// Commits are refused.
  private func fill(_ pause: Duration) {
    cluster.count("disk full")
    let engine = cluster.engine
    engine.isFull = true
    network.schedule(network.now + pause) { engine.isFull = false }
  }
}
