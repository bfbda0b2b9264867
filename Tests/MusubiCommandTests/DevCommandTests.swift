// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import Testing

@testable import MusubiCommand

@Suite struct `The state of folders` {
  private let folder = FileManager.default.temporaryDirectory.path + "/musubi-\(UUID().uuidString)"

  private func write(_ text: String, to file: String) throws {
    let url = URL(fileURLWithPath: folder + "/" + file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  @Test func `differs with a file that is new, changed or gone, and not with an editor's own`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func state() -> FolderState { FolderState(of: ["Package.swift", "Sources"], in: folder) }
    try write("a", to: "Sources/Tea/a.swift")
    let first = state()
    #expect(state() == first)

    try write("", to: "Sources/Tea/.a.swift.swp")
    try write("", to: "Sources/Tea/a.swift~")
    try write("", to: "Public/tea.html")
    #expect(state() == first)

    try write("ab", to: "Sources/Tea/a.swift")
    let changed = state()
    #expect(changed != first)
    try write("", to: "Package.swift")
    #expect(state() != changed)
    try FileManager.default.removeItem(atPath: folder + "/Package.swift")
    #expect(state() == changed)
  }
}

@Suite struct `Options of serve that an author gives` {
  @Test func `are words, the last of which wins, or variables`() {
    let variables = ["MUSUBI_RECORD_LIMIT": "1M", "MUSUBI_RECORD": "there", "MUSUBI_ADMIN": ""]
    let options = ServeOptions(["--record", "here", "--loops=2", "--loops", "1"], environment: variables)

    #expect(options["record"] == "here" && options["loops"] == "1")
    #expect(options["record-limit"] == "1M" && options.word(of: "record-limit") == nil)
    #expect(options["admin"] == nil && options["data"] == nil)
  }
}

@Suite struct `A program that is kept` {
  private let folder = FileManager.default.temporaryDirectory.path + "/musubi-\(UUID().uuidString)"

  private func build(_ text: String) throws {
    // As a linker does: a new file takes the old one's place.
    for name in ["Tea", "libMilk.so", "Tea_Tea.resources/leaf.txt"] {
      let url = URL(fileURLWithPath: folder + "/debug/" + name)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url, options: .atomic)
    }
  }

  @Test func `stays what it was with what lies beside it, until the next takes its place`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
    try build("first")
    let programs = KeptPrograms(of: folder + "/debug/Tea", in: folder + "/kept")
    try programs.keepNext()
    try programs.serveNext()
    try build("second")
    try programs.keepNext()
    try build("third")

    let beside = (programs.served as NSString).deletingLastPathComponent
    #expect(try text(programs.served) == "first" && text(beside + "/libMilk.so") == "first")
    #expect(try text(beside + "/Tea_Tea.resources/leaf.txt") == "third")
    #expect(try text(programs.next) == "second")

    try programs.serveNext()
    #expect(try text(programs.served) == "second")
    #expect(try text(folder + "/debug/Tea_Tea.resources/leaf.txt") == "third")
  }

  @Test func `is missed with a sentence`() {
    let programs = KeptPrograms(of: folder + "/debug/Tea", in: folder + "/kept")
    #expect(throws: ToolError.self) { try programs.serveNext() }
    #expect(throws: ToolError.self) { try programs.keepNext() }
    try? FileManager.default.removeItem(atPath: folder)
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A program that is started` {
  private func run(
    _ words: String..., sockets: [(name: String, descriptor: Int32)] = []
  ) throws -> (status: Int32, printed: String) {
    let pipe = Pipe()
    let child = try ChildProcess(
      words, in: "/", output: .descriptor(pipe.fileHandleForWriting.fileDescriptor), sockets: sockets)
    try pipe.fileHandleForWriting.close()
    let printed = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return (child.wait(), printed)
  }

  @Test func `works in its folder, and tells how it ends`() throws {
    #expect(try run("pwd") == (0, "/\n"))
    #expect(try run("sh", "-c", "exit 7").status == 7)
    #expect(try run("sh", "-c", "kill -KILL $$").status == 128 + SIGKILL)
    #expect(try run("musubi-nothing-of-this-name").status == 127)
  }

  @Test func `is handed the sockets with their names under its own process id`() throws {
    let (socket, admin) = (try ListeningSocket(port: 0), try ListeningSocket(port: 0))
    defer { for descriptor in [socket.descriptor, admin.descriptor] { close(descriptor) } }

    let words = """
      echo $LISTEN_FDS $LISTEN_FDNAMES
      test $LISTEN_PID = $$ && readlink /proc/self/fd/3 /proc/self/fd/4 | cut -d : -f 1
      """
    let sockets = [("public", admin.descriptor), ("admin", socket.descriptor)]
    #expect(try run("sh", "-c", words, sockets: sockets) == (0, "2 public:admin\nsocket\nsocket\n"))
    #expect(socket.port > 0 && socket.descriptor >= 10)
    #expect(throws: ToolError.self) { try ListeningSocket(port: socket.port) }
  }

  @Test func `ends when it is asked to, and is killed if it does not listen`() throws {
    let child = try ChildProcess(["sleep", "600"], in: "/")
    let (ready, writing) = try DescriptorPair.pipe()
    close(writing)
    defer { close(ready) }
    #expect(child.ended() == nil)
    #expect(child.wait(atMost: nil, orReadable: ready) == nil && child.wait(atMost: .zero) == nil)

    #expect(child.stop())
    #expect(kill(child.id, 0) != 0)

    let pipe = Pipe()
    let deaf = try ChildProcess(
      ["sh", "-c", "trap '' TERM; echo deaf; exec sleep 600"], in: "/",
      output: .descriptor(pipe.fileHandleForWriting.fileDescriptor))
    #expect(pipe.fileHandleForReading.availableData == Data("deaf\n".utf8))
    #expect(!deaf.stop(within: .milliseconds(50)))
    #expect(kill(deaf.id, 0) != 0)
  }

  @Test func `is heard while its words are passed on, whatever its own children hold`() throws {
    let (reading, writing) = try DescriptorPair.pipe()
    defer { close(reading) }
    let output = try PrintedOutput(passedTo: writing)
    let child = try output.of {
      try ChildProcess(
        ["sh", "-c", "echo out; echo err >&2; sleep 600 & echo $!"], in: "/", output: .descriptor($0),
        errors: $0)
    }
    #expect(child.wait() == 0)

    let text = output.text()
    let lines = text.split(separator: "\n")
    #expect(lines.prefix(2) == ["out", "err"])
    var passed = [UInt8](repeating: 0, count: 100)
    #expect(read(reading, &passed, passed.count) == text.utf8.count)
    let left = try #require(lines.last.flatMap { pid_t($0) })
    #expect(kill(left, SIGKILL) == 0)
  }
}
