// SPDX-License-Identifier: Apache-2.0

/// The bytes that a loop's records take in the store, by the peers that have made them: each counts against all of its
/// maker's peers, as in memory.
final class StoreBudget {
  /// The most bytes; `Int.max` without a limit.
  let limit: Int
  /// The accounts of the peers.
  let accounts = MemoryLedger(limit: nil)
  /// What the records of each maker take.
  private var makers: [RecordLabel.Maker: Records] = [:]
  /// The total above which there is something to do; it rises when nothing more can go.
  private var threshold: Int

  /// The records of one maker.
  private final class Records {
    var charge: Charge

    init(_ owner: Owner) { charge = Charge(owner) }
  }

  init(limit: Int?) {
    self.limit = limit ?? .max
    threshold = self.limit
  }

  var total: Int { accounts.total }

  /// Whether records have to go.
  var isExceeded: Bool { total > threshold }

  /// Whether all that remains is shown, and newcomers would take more than there is.
  var isFull: Bool { total > limit && threshold > limit }

  /// A record takes another number of bytes.
  ///
  /// - Parameters:
  ///   - old: What it took; nil if it was not stored.
  ///   - new: What it takes; nil if it has ended.
  ///   - label: Whose it is.
  func change(from old: Int?, to new: Int?, of label: RecordLabel) {
    let maker = label.maker
    let records = makers[maker] ?? Records(accounts.owner(maker.peers))
    let wasEmpty = records.charge.bytes == 0
    records.charge.set(records.charge.bytes + (new.map(Self.weight) ?? 0) - (old.map(Self.weight) ?? 0))
    let isEmpty = records.charge.bytes == 0
    if isEmpty != wasEmpty { makers[maker] = isEmpty ? nil : records }
  }

  /// Who pays for a stored record; nil if its maker has none.
  func owner(of label: RecordLabel) -> Owner? { makers[label.maker]?.charge.owner }

  /// The bytes of a record in the file: its name and label, and a quarter of pages that is free on average.
  static func weight(_ bytes: Int) -> Int { bytes + bytes / 4 + 256 }

  /// Somebody has looked, and nothing more can go.
  func settle() { threshold = total <= limit ? limit : total + limit / 64 }

  /// Somebody wants to enter although it is full: records may have been left meanwhile.
  func lookAgain() { threshold = limit }
}
