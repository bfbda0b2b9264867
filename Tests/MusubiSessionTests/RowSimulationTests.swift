// SPDX-License-Identifier: Apache-2.0
import Foundation
import Simulation
import Testing

/// A sample; the step `schedules` of `deploy/test --long` runs 30,000 with a release build.
@Suite(.serialized) struct `People who type into rows over a bad network` {
  private func node(client: URL = repository.appendingPathComponent("Sources/BrowserClient/musubi")) throws
    -> NodePages
  {
    try NodePages(
      script: repository.appendingPathComponent("Tests/Simulation/row-pages.mjs").path, client: client.path)
  }

  @Test func `lose nothing while rows are added, removed, brought back and moved`() {
    let failure = RowSimulation().firstFailure(seeds: 0..<250)

    if let failure { Issue.record("\(failure)") }
  }

  @Test func `lose nothing with the browser client and both together`() throws {
    let simulation = RowSimulation(node: try node())

    let failure = simulation.firstFailure(seeds: 100_000..<100_150)

    if let failure { Issue.record("\(failure)") }
  }

  @Test func `lose nothing in a long list, of which each page looks at some rows`() throws {
    let simulations = [RowSimulation(isLong: true), RowSimulation(node: try node(), isLong: true)]
    for simulation in simulations {
      // The last three have a row that goes in the turn that has steps of its text.
      for seeds in [100_000..<100_100, 500_129..<500_130, 500_196..<500_197, 501_188..<501_189]
        as [Range<UInt64>]
      {
        if let failure = simulation.firstFailure(seeds: seeds) { Issue.record("\(failure)") }
      }
    }
  }

  /// A schedule that once ended with an edit outside of its text: a snapshot shows another row of the same id to a page
  /// whose edit of the earlier row is on its way.
  @Test func `lose nothing where they once did`() throws {
    let failure = RowSimulation(node: try node()).firstFailure(seeds: 5_000_762..<5_000_763)

    if let failure { Issue.record("\(failure)") }
  }

  static let mistakes = [
    PlantedMistake(
      description: "a text follows its row's id into the next life", file: "text/rows.js",
      right: "fieldText(state, key) === undefined && !loosen(screen, key)) end(screen, key)",
      wrong: "false) end(screen, key)"),
    PlantedMistake(
      description: "a text ends though there is a row for its field", file: "text/rows.js",
      right: "screen.texts.documents.set(key, text);", wrong: ""),
    PlantedMistake(
      description: "the first edit names no turn", file: "screen.js",
      right: "return { sequence: known.position[1],",
      wrong: "return { sequence: 0,"),
    PlantedMistake(
      description: "a snapshot takes away what waits", file: "text/rows.js",
      right: "rebase(text, content, acked)",
      wrong: "text.become({ server: \"\", ...content, pending: [] })"),
  ]

  @Test(arguments: mistakes) func `show a mistake that was planted in the browser client`(
    mistake: PlantedMistake
  ) throws {
    try mistake.plant { client in
      let failure = RowSimulation(node: try node(client: client)).firstFailure(seeds: 0..<400)

      #expect(failure != nil)
    }
  }

  static let mistakesInLongLists = [
    PlantedMistake(
      description: "a row's old value takes the place of what others type", file: "window/texts.js",
      right: "revision < 0 && !pending.length", wrong: "!pending.length"),
    PlantedMistake(
      description: "a text that is edited no longer keeps its revision", file: "text/rows.js",
      right: "become(text, { revision: -1 }, acked)",
      wrong: "become(text, { revision: text.save().revision }, acked)"),
    PlantedMistake(
      description: "a text of a long list ends when it is edited no longer", file: "text/rows.js",
      right: "isLong(key) && texts", wrong: "false && texts"),
  ]

  @Test(arguments: mistakesInLongLists) func `show a mistake that was planted for long lists`(
    mistake: PlantedMistake
  ) throws {
    try mistake.plant { client in
      let simulation = RowSimulation(node: try node(client: client), isLong: true)

      #expect(simulation.firstFailure(seeds: 0..<400) != nil)
    }
  }

  @Test(arguments: [Fault.forgetsOwnEdits, .takesTwice, .skipsTransformation, .forgetsTooEarly])
  func `would be noticed to lose something`(fault: Fault) {
    #expect(RowSimulation(fault: fault).firstFailure(seeds: 0..<400) != nil)
  }
}
