// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiSession
import MusubiStorage
import Testing

@Suite(.timeLimit(.minutes(5))) struct `Last words` {
  @Test func `are written before a trap ends the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardOutputContent]) {
      let folder = FileManager.default.temporaryDirectory.appending(path: "last-words-\(getpid())").path
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let record = try RunRecord(folder: folder, at: 0)
      try record.start()
      try FileManager.default.removeItem(atPath: folder)
      LastWords.begin()
      let thread = Thread {
        usleep(100_000)
        _ = write(STDOUT_FILENO, "said", 4)
        LastWords.end(1)
      }
      thread.start()
      raise(SIGTRAP)
    }

    let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    #expect(output.hasSuffix("said"))
  }

  @Test func `name the record of the room whose event it was`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/musubi-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    await #expect(processExitsWith: .failure) { [folder = folder as String] in
      let record = try RunRecord(folder: folder, at: 0)
      record.begin(1)
      record.note(records: "1795711633-d2e")
      try record.start()
      let loop = record.record(ofLoop: 0)
      loop?.begin(.timer, room: 0, session: "", number: 0, record: 7)
      raise(SIGTRAP)
      withExtendedLifetime(loop) {}
    }

    let trap = Trap(
      kind: .timer, room: 0, session: "", number: 0, signal: SIGTRAP, record: "1795711633-d2e-7")
    #expect(RunRecord.traps(inFolder: folder) == [trap])
    let next = try RunRecord(folder: folder, at: 1)
    #expect(next.traps == [trap])
    next.begin(2)
    #expect(RunRecord.traps(inFolder: folder).isEmpty)
    #expect(RunRecord.traps(inFolder: folder + "/none").isEmpty)
  }
}
