// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSession
import MusubiStorage

/// The record of the room whose event has ended a process.
package enum CrashRecord {
  /// Finds the record of the process that was the last to use a data folder.
  ///
  /// - Parameters:
  ///   - folder: The folder of `--record`.
  ///   - data: The data folder.
  /// - Returns: The name of its file; nil if no event has ended the process, or none has its last events.
  package static func name(in folder: String, ofData data: String) -> String? {
    RunRecord.traps(inFolder: data).lazy.compactMap { name(of: $0, in: folder) }.first
  }

  /// Finds the record of an event.
  ///
  /// - Parameters:
  ///   - trap: The event.
  ///   - folder: The folder of `--record`.
  /// - Returns: The name of its file; nil if there is none.
  static func name(of trap: Trap, in folder: String) -> String? {
    guard let ending = trap.record else { return nil }
    // Of a folder that cannot be read nobody is told a record; the event is told all the same.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.first { $0.hasSuffix("-\(ending).record") }
  }
}
