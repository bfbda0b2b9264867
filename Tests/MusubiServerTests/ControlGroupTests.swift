// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import MusubiServer

@Suite struct `The control groups of a process` {
  /// What a system shows, in a folder that goes with it.
  private final class Tree {
    let root = FileManager.default.temporaryDirectory.appending(path: "musubi-groups-\(UUID().uuidString)")

    init(_ files: [String: String]) throws {
      for (name, text) in files {
        let file = root.appending(path: name)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\(text)\n".utf8).write(to: file)
      }
    }

    deinit {
      do { try FileManager.default.removeItem(at: root) } catch { Issue.record(error) }
    }

    func bounds(_ membership: String) -> [ControlGroups.Bound] {
      ControlGroups(root: root.path, membership: membership).bounds
    }
  }

  @Test func `of version 2 bound it with those around them, and where they slow it down`() throws {
    let tree = try Tree([
      "a/memory.max": "1000", "a/memory.high": "max", "a/memory.current": "400",
      "a/memory.stat": "anon 100\ninactive_file 90\nactive_file 7",
      "a/b/memory.max": "max", "a/b/memory.high": "800", "a/b/memory.current": "300",
      "a/b/c/memory.max": "max", "a/b/c/memory.high": "max", "a/b/c/memory.current": "300",
    ])

    #expect(tree.bounds("0::/a/b/c\n") == [.init(limit: 1_000, used: 310), .init(limit: 800, used: 300)])
    #expect(tree.bounds("0::/\n").isEmpty)
  }

  @Test func `of version 1 bound it without files that nobody reads`() throws {
    let unlimited = "9223372036854771712"
    let tree = try Tree([
      "memory/memory.limit_in_bytes": unlimited, "memory/memory.usage_in_bytes": "5000",
      "memory/a/memory.limit_in_bytes": "2000", "memory/a/memory.usage_in_bytes": "900",
      "memory/a/memory.stat": "inactive_file 1\ntotal_inactive_file 200",
      "memory/a/b/memory.limit_in_bytes": unlimited, "memory/a/b/memory.usage_in_bytes": "500",
    ])

    #expect(tree.bounds("9:cpu:/x\n4:memory:/a/b\n0::/\n") == [.init(limit: 2_000, used: 700)])
  }

  @Test func `are mounted at the top of a container`() throws {
    let first = try Tree(["memory/memory.limit_in_bytes": "2000", "memory/memory.usage_in_bytes": "900"])
    let second = try Tree(["memory.max": "3000", "memory.current": "800"])

    #expect(first.bounds("4:hugetlb,memory:/docker/0123\n") == [.init(limit: 2_000, used: 900)])
    #expect(second.bounds("0::/\n") == [.init(limit: 3_000, used: 800)])
  }
}
