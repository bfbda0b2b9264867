// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Shows what it was told of its pages, and when the screen was left.
private final class RollView: View {
  private let told = Label("told")
  private var log: [String] = []

  override func connectionDidChange(ofPage page: Int, isConnected: Bool) {
    show("\(isConnected ? "+" : "-")\(page)")
  }

  override func viewDidDisappear() { show("gone") }

  private func show(_ entry: String) {
    log.append(entry)
    told.text = log.joined(separator: " ")
  }
}

@Suite struct `A screen that is told of its pages` {
  private let network = SimulatedNetwork(
    seed: 2, routes: [ScreenRoute(name: "roll", scope: .room(default: "lobby")) { _ in RollView() }])

  private func settle(_ time: Duration = .seconds(1)) { network.run(until: network.now + time) }

  @Test(arguments: [false, true]) func `tells within a second that a page is gone, and once`(
    saysGoodBye: Bool
  ) {
    let (page, watcher) = (RawPage(network, "roll"), RawPage(network, "roll"))
    settle()
    #expect(watcher.state["told"] == "+1 +2")

    if saysGoodBye { page.link?.leave() } else { page.link?.drop() }
    settle()
    #expect(watcher.state["told"] == "+1 +2 -1")
    settle(SessionConfiguration().unusedSessionLifetime)

    #expect(watcher.state["told"] == "+1 +2 -1 gone", "It is not told a second time when the session ends.")
  }

  @Test func `tells once that a page is back, whatever became of its older connection`() {
    let (page, watcher) = (RawPage(network, "roll"), RawPage(network, "roll"))
    settle()
    page.link?.drop()
    settle()
    page.resume()
    settle()
    #expect(watcher.state["told"] == "+1 +2 -1 +1")

    // The server has not noticed that the connection is lost when the page comes back.
    page.resume()
    settle()

    #expect(watcher.state["told"] == "+1 +2 -1 +1")
  }
}
