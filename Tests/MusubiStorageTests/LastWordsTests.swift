// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiStorage
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Last words` {
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
}
