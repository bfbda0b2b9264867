// SPDX-License-Identifier: Apache-2.0

/// The bytes that a loop's records take in the store, by the peers that have made them: each counts against all of its
/// maker's peers, as in memory.
final class StoreBudget {
  /// The bytes by peers, and what each may have.
  let ledger: MemoryLedger
  /// What the records of each maker take.
  private var makers: [RecordLabel.Maker: Records] = [:]

  /// The records of one maker.
  private final class Records {
    var charge: Charge

    init(_ owner: Owner) { charge = Charge(owner) }
  }

  init(limit: Int?, peerShare: Int) { ledger = MemoryLedger(limit: limit, peerShare: peerShare) }

  /// A record takes another number of bytes.
  ///
  /// - Parameters:
  ///   - old: What it took; nil if it was not stored.
  ///   - new: What it takes; nil if it has ended.
  ///   - label: Whose it is.
  func change(from old: Int?, to new: Int?, of label: RecordLabel) {
    let maker = label.maker
    let records = makers[maker] ?? Records(ledger.owner(maker.peers))
    let wasEmpty = records.charge.bytes == 0
    records.charge.set(records.charge.bytes + (new.map(Self.weight) ?? 0) - (old.map(Self.weight) ?? 0))
    let isEmpty = records.charge.bytes == 0
    if isEmpty != wasEmpty { makers[maker] = isEmpty ? nil : records }
  }

  /// Who pays for a stored record; nil if its maker has none.
  func owner(of label: RecordLabel) -> Owner? { makers[label.maker]?.charge.owner }

  /// Whether there is space for one more record of a visitor with these peers.
  func admits(_ peers: [Peer]) -> Bool { ledger.limit == .max || ledger.admits(ledger.owner(peers)) }

  /// The most bytes by which a text may grow that is stored with this label.
  ///
  /// It is there as a step and then in the whole record, and a quarter more for pages that are not full.
  func textAllowance(of label: @autoclosure () -> RecordLabel?) -> Int {
    guard ledger.isTight, let owner = label().flatMap(owner) else { return .max }
    return owner.allowance / 3
  }

  /// Nobody shows something any more of a visitor with these peers.
  func noteLeft(by peers: [Peer]) {
    if ledger.limit < .max { ledger.noteLeft(by: ledger.owner(peers)) }
  }

  /// The bytes of a record in the file: its name and label, and a quarter of pages that is free on average.
  static func weight(_ bytes: Int) -> Int { bytes + bytes / 4 + 256 }
}
