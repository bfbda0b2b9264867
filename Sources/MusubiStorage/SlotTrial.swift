// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiPostgres
import MusubiSession

/// The inputs that an owner of a slot was about to run when it stored something in it last, and of which each may have ended an
/// owner before.
///
/// It stands in the slot's row of `fence`, and each commit writes it anew. A process that ends leaves it behind.
struct SlotTrial: Codable {
  /// Names the data folder of the owner, whose next process knows what has ended it.
  let folder: Int64
  let inputs: [InputID]

  /// nil if nothing is on trial.
  init?(_ inputs: [InputID], of folder: Int64) {
    guard !inputs.isEmpty else { return nil }
    (self.folder, self.inputs) = (folder, inputs)
  }

  /// Reads it as it is stored.
  ///
  /// - Throws: `PostgresError` of kind `wrongType` if it cannot be read.
  init(_ text: String) throws(PostgresError) {
    do { self = try JSONDecoder().decode(Self.self, from: Data(text.utf8)) } catch {
      throw PostgresError(.wrongType, "What was on trial cannot be read: \(error)")
    }
  }

  /// It as it is stored.
  ///
  /// - Throws: `PostgresError` of kind `wrongType` if JSON cannot have it.
  func text() throws(PostgresError) -> String {
    do { return String(decoding: try JSONEncoder().encode(self), as: UTF8.self) } catch {
      throw PostgresError(.wrongType, "What is on trial cannot be written: \(error)")
    }
  }
}
