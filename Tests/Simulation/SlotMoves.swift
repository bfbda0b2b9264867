// SPDX-License-Identifier: Apache-2.0
import MusubiTesting

/// Moves of slots between the loops of a simulated server, while pages use what is in them.
///
/// A slot is given, and what is in it stands still until it is stored; or another loop takes it, and the one that had it is told
/// by the store, which takes nothing from it any more.
package final class SlotMoves {
  /// A mistake that is to be found.
  package enum Fault: Sendable {
    /// The store does not ask whose a slot is.
    case noFence
  }

  private let fault: Fault?
  private let isRestless: Bool
  /// How many slots were given and taken, and how many records of former owners the store refused.
  package private(set) var (given, taken, refused) = (0, 0, 0)
  private var store: SimulatedStore?

  /// - Parameters:
  ///   - fault: A mistake that is to be found.
  ///   - isRestless: Whether a slot moves at each step, until three hundred have; else that is so in a quarter of the runs.
  package init(fault: Fault? = nil, isRestless: Bool = false) {
    (self.fault, self.isRestless) = (fault, isRestless)
  }

  /// Begins to move slots, at each step of the run or at some.
  func begin(on network: SimulatedNetwork, _ store: SimulatedStore, _ below: @escaping (Int) -> Int) {
    let (pace, loops) = ([1, 6, 30, 150][isRestless ? 0 : below(4)], network.services.count)
    let takesPart = [0, 1, 3][below(3)]
    store.ignoresFences = fault == .noFence
    self.store = store
    var (last, left) = (network.now, 300)
    network.onStep = { [unowned network] _ in
      // A move brings about steps of its own.
      guard network.now > last, left > 0, below(pace) == 0 else { return }
      (last, left) = (network.now, left - 1)
      guard let slot = store.slots.dropFirst(below(max(1, store.slots.count))).first else { return }
      if below(4) < takesPart {
        network.take(slot, by: below(loops))
        self.taken += 1
      } else {
        network.move(slot, to: below(loops))
        self.given += 1
      }
    }
  }

  /// Lets slots be where they are.
  func end(on network: SimulatedNetwork) {
    network.onStep = nil
    refused += store?.fenced ?? 0
    store = nil
  }
}
