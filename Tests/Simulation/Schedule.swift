// SPDX-License-Identifier: Apache-2.0
import MusubiBinding

/// One run of several people at one text, decided in advance, so that it can be repeated and made smaller.
package struct Schedule: Sendable {
  /// The client of a page.
  package enum PageKind: String, Sendable {
    /// `ClientSession` of `MusubiClient`.
    case swift
    /// `createSession` of `Sources/BrowserClient/musubi`, in node.
    case browser
  }

  /// Something that happens at a time.
  package struct Action: Sendable, CustomStringConvertible {
    /// What happens.
    package enum Kind: Sendable {
      /// Some new characters are typed at the caret; their numbers are consecutive.
      case type(first: Int, count: Int, isHeld: Bool)
      /// The character before the caret is selected, and another one typed over it.
      case exchange(Int, isHeld: Bool)
      /// The caret goes to a place, in thousandths of the text.
      case move(Int)
      /// The character before the caret is deleted.
      case delete
      /// The characters between the caret and a place are deleted.
      case erase(Int)
      /// The screen's button.
      case tap
      /// Held-back inputs (`data-debounce`) are sent.
      case flush
      /// The connection is lost.
      case drop
      /// The page is reloaded.
      case reload
      /// The page stops reading.
      case stall
      /// The page reads again.
      case wake
      /// The server is killed and started again.
      case restart
      /// The visitor signs out, and another one in, in the same tab.
      case signIn(Int)
    }

    /// Milliseconds of virtual time.
    package var time: Int
    /// The page's position in `pages`.
    package var page: Int
    /// What happens.
    package var kind: Kind

    /// Whether the server is killed.
    var isRestart: Bool {
      if case .restart = kind { true } else { false }
    }

    package var description: String { "\(time) ms  page \(page)  \(kind)" }
  }

  /// Decides everything that is left to chance during the run.
  package var seed: UInt64
  /// The ViewModel.
  package var screen: SimulatedScreen
  /// The pages.
  package var pages: [PageKind]
  /// The shortest and the longest way of a message, in milliseconds.
  package var latency: ClosedRange<Int>
  /// How many turns the room keeps.
  package var history: Int
  /// How many steps of the text it keeps.
  package var textHistory: Int
  /// How often the server's loop reads arrived messages, in milliseconds: all of them are one turn.
  package var pause: Int
  /// The most bytes of the text; a small limit has edits refused.
  package var limit: Int
  /// For how many milliseconds visitors are trusted; nil for as long as they like.
  package var trust: Int?
  /// What happens.
  package var actions: [Action]

  /// Whether a page may get a snapshot while edits of its own are on their way, also one whose session goes on.
  var hasSnapshots: Bool {
    history < 100
      || actions.contains {
        switch $0.kind {
        case .restart, .reload, .signIn: true
        default: false
        }
      }
  }

  /// Whether texts may be too long.
  var hasRefusals: Bool { limit < 1_000 }

  /// Draws a schedule.
  ///
  /// In one of eight there are five to ten pages, in one of eight characters are typed over others, in three of 32 visitors
  /// are trusted for a time only, and in one of these three others sign in. One of 32 has a screen of its own.
  ///
  /// - Parameters:
  ///   - seed: Decides everything.
  ///   - kinds: The kinds of pages to choose from.
  ///   - screens: The ViewModels to choose from.
  package init(seed: UInt64, kinds: [PageKind], screens: [SimulatedScreen] = SimulatedScreen.drawn) {
    let random = RandomSource(seed: seed)
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    self.seed = seed
    let drawn = screens[below(screens.count)]
    screen = seed % 32 == 21 && screens == SimulatedScreen.drawn ? .model : drawn
    pages = (0..<(1 + below(4))).map { _ in kinds[below(kinds.count)] }
    // By classes of seeds, so that the other seeds stand for the same schedules as ever.
    let (isCrowded, hasExchanges) = (seed % 16 == 7 || seed % 16 == 9, seed % 16 == 4 || seed % 16 == 7)
    while isCrowded, pages.count < 5 + Int(seed / 16 % 6) { pages.append(kinds[below(kinds.count)]) }
    let slowest = [0, 20, 200, 1_500, 30_000][below(5)]
    latency = [slowest, slowest / 4, 0][below(3)]...slowest
    history = [1_024, 1_024, 12, 3][below(4)]
    // A page gets a snapshot though the text's steps reach back, as where a turn has much else.
    textHistory = seed % 4 == 2 ? 1_024 : history
    limit = below(8) == 0 ? 60 : 262_144
    pause = 0
    actions = []
    let gap = 1 + max(slowest, 20) / [1, 4, 16][below(3)]
    let (hasLoss, hasRestart) = (below(4) > 0, below(5) == 0)
    var time = 3 * slowest
    var character = 0
    for _ in 0..<(8 + below(48)) {
      time += below(2 * gap)
      var kind = Self.kind(below, character: &character, hasLoss: hasLoss, hasRestart: hasRestart)
      if hasExchanges, case .type(let first, 1, let isHeld) = kind, below(3) == 0 {
        kind = .exchange(first, isHeld: isHeld)
      }
      actions.append(Action(time: time, page: below(pages.count), kind: kind))
    }
    pause = [0, 0, 0, 30, 400][below(5)]
    // The mistakes that are planted in the browser client are found by its own schedules.
    if kinds.contains(.swift), [1, 8, 26].contains(seed % 32) {
      trust = 2_000 + 20 * slowest
      // Whoever reads nothing until nobody knows who it is is signed out, as it has to be.
      actions.removeAll {
        switch $0.kind {
        case .stall, .wake: true
        default: false
        }
      }
    }
    if kinds.contains(.swift), seed % 32 == 8 {
      // What the browser's page does then is more than its session knows.
      pages = pages.map { _ in .swift }
      for index in actions.indices where below(8) == 0 { actions[index].kind = .signIn(below(3)) }
    }
  }

  private static func kind(
    _ below: (Int) -> Int, character: inout Int, hasLoss: Bool, hasRestart: Bool
  ) -> Action.Kind {
    switch below(100) {
    case 0..<52:
      let count = below(40) == 0 ? 40 : 1 + below(3) * below(2)
      defer { character += count }
      return .type(first: character, count: count, isHeld: below(4) == 0)
    case 52..<62: return .move(below(1_001))
    case 62..<70: return .delete
    case 70..<73: return .erase(below(1_001))
    case 73..<77: return .tap
    case 77..<81: return .flush
    case 81..<88: return hasLoss ? .drop : .flush
    case 88..<91: return hasLoss ? .reload : .delete
    case 91..<94: return .stall
    case 94..<98: return .wake
    default: return hasRestart ? .restart : .wake
    }
  }
}

extension Schedule: CustomStringConvertible {
  package var description: String {
    let head =
      "seed \(seed): \(screen), pages \(pages.map(\.rawValue)), latency \(latency) ms, pause \(pause) ms, history \(history), limit \(limit), trust \(trust.map { "\($0) ms" } ?? "for ever")"
    return ([head] + actions.map { "  \($0)" }).joined(separator: "\n")
  }
}
