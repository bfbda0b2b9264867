// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiSQLite
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A killed process` {
  /// The child commits without a pause, notes each commit that is said to be safe, and kills itself from
  /// another thread.
  @Test(arguments: 1...10)
  func `loses nothing that it was told is safe, and nothing by halves`(_ round: Int) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("pets")
    let killAfter = Int.random(in: 1...200)

    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, killAfter = killAfter as Int] in
      try await commitUntilKilled(path: path, killAfter: killAfter)
    }

    let safe = try String(contentsOfFile: path + ".safe", encoding: .utf8).split(separator: "\n").map(
      String.init)
    let connection = try Pets.connection(.file(path))
    let kept = try Set(Pets.names(connection))
    #expect(safe.count >= killAfter)
    #expect(safe.allSatisfy { kept.contains($0) && kept.contains("twin of \($0)") }, "after \(killAfter)")
    #expect(kept.count.isMultiple(of: 2))
    let check = try connection.row("PRAGMA integrity_check") { try $0.value(0, as: String.self) }
    #expect(check == "ok")
  }
}

private func commitUntilKilled(path: String, killAfter: Int) async throws {
  _ = FileManager.default.createFile(atPath: path + ".safe", contents: nil)
  let notes = try FileHandle(forWritingTo: URL(filePath: path + ".safe"))
  let queue = try DatabaseQueue(.file(path), migrator: Pets.migrator)
  for number in 1... {
    if number == killAfter + 1 { Thread.detachNewThread { kill(getpid(), SIGKILL) } }
    try await queue.write { connection in
      try Pets.add("\(number)", to: connection)
      try Pets.add("twin of \(number)", to: connection)
    }
    try notes.write(contentsOf: Data("\(number)\n".utf8))
  }
}
