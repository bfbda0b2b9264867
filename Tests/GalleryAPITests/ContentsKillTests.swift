// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct `A post before a kill` {
  /// The child is killed from another thread while it posts; then everything is posted again with the same keys.
  @Test(arguments: 1...20)
  func `is there once when it was confirmed, and once when it is repeated`(_ round: Int) async throws {
    let folder = try TemporaryFolder()
    let killAfter = Int.random(in: 1...60)

    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = folder.url.path as String, killAfter = killAfter as Int] in
      try await postUntilKilled(path: path, killAfter: killAfter)
    }

    let notes = try String(contentsOf: folder.url.appending(path: "confirmed"), encoding: .utf8)
    let confirmed = notes.split(separator: "\n").map(String.init)
    let contents = try ContentsAPI(folder: folder.url)
    let kept = try await contents.fetch().map { "\($0.id) \($0.title)" }
    #expect(confirmed.count >= killAfter)
    #expect(Set(confirmed).isSubset(of: kept), "killed after \(killAfter)")
    for number in 1...(confirmed.count + 2) {
      let title = "s/\(number)"
      _ = try await contents.post(title: title, text: title, author: "", idempotencyKey: title)
    }
    let titles = try await contents.fetch().map(\.title)
    #expect(titles.count == Set(titles).count)
    #expect(titles.count == confirmed.count + 2)
  }
}

private func postUntilKilled(path: String, killAfter: Int) async throws {
  let folder = URL(filePath: path)
  let noteFile = folder.appending(path: "confirmed")
  try Data().write(to: noteFile)
  let notes = try FileHandle(forWritingTo: noteFile)
  let contents = try ContentsAPI(folder: folder)
  for number in 1... {
    if number == killAfter + 1 { Thread.detachNewThread { kill(getpid(), SIGKILL) } }
    let title = "s/\(number)"
    let content = try await contents.post(title: title, text: title, author: "", idempotencyKey: title)
    try notes.write(contentsOf: Data("\(content.id) \(title)\n".utf8))
  }
}
