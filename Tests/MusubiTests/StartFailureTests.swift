// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi
import MusubiStorage
import Testing

private final class EmptyViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class PlainOutputViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let name: String }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(name: "") }
}

/// Runs what an author's `main` runs, each in a process of its own.
@Suite(.timeLimit(.minutes(3))) struct `What keeps a program from serving` {
  private let pages: Pages
  private var folder: URL { pages.folder }

  init() throws { pages = try Pages() }

  /// Checks that a program has printed one sentence and nothing else.
  private func expect(_ result: ExitTest.Result?, _ sentence: String) throws {
    let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = printed.split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.hasSuffix(": " + sentence) == true, "\(printed)")
  }

  @Test func `is told in one sentence if the folder with the pages is missing`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path + "/none") { $0.screen("a", page: "a.html") { _ in EmptyViewModel() } }
    }

    try expect(result, #"There is no folder "\#(folder.path)/none" with pages; name it with --public."#)
  }

  @Test func `is told in one sentence if a page names a screen that does not exist`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path) { $0.screen("b", page: "a.html") { _ in EmptyViewModel() } }
    }

    try expect(
      result, #"a.html:1: data-screen names the screen "a", but the application has b."#)
  }

  @Test func `is told in one sentence if a page binds its address to a room`() async throws {
    try Data(("<body data-screen=\"a\">\n" + #"<p data-bind-query-push="word">"#).utf8)
      .write(to: folder.appending(path: "a.html"))
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path) { $0.screen("a", scope: .room, page: "a.html") { _ in EmptyViewModel() } }
    }

    try expect(
      result,
      #"a.html:2: data-bind-query-push binds the page's address, but everybody in a room shares the screen "a", and "#
        + "each page has an address of its own; give the screen the scope .session.")
  }

  @Test func `is told in one sentence if pages may load from everywhere`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path) { application in
        application.screen("a", page: "a.html") { _ in EmptyViewModel() }
        application.configuration.contentSecurity.allow(connect: ["*"])
      }
    }

    try expect(
      result,
      #"contentSecurity.allow(connect:) cannot take "*": it takes an origin such as wss://example.org, without a path."#
    )
  }

  @Test func `is told in one sentence if two screens have one name`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path) { application in
        application.screen("a", page: "a.html") { _ in EmptyViewModel() }
        application.screen("a", path: "/b", page: "a.html") { _ in EmptyViewModel() }
      }
    }

    try expect(result, #"Screen "a": two screens have this name; give one another name."#)
  }

  @Test func `is told in one sentence if an output is a plain value`() async throws {
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String] in
      await Program.run(path) { $0.screen("a", page: "a.html") { _ in PlainOutputViewModel() } }
    }

    try expect(
      result,
      #"Screen "a": the output "name": a plain value never changes; make it a Driver of its type."#)
  }

  @Test func `is told in one sentence if the port is taken`() async throws {
    let other = try TakenPort()
    let result = await #expect(
      processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
    ) { [path = folder.path as String, port = other.number as UInt16] in
      await Program.run(path, port: port) { $0.screen("a", page: "a.html") { _ in EmptyViewModel() } }
    }

    try expect(
      result,
      "Port \(other.number) on 127.0.0.1 is taken by another program; choose another with --port, or 0 for any."
    )
  }

  @Test func `does not count as an end that has the next start wait`() async throws {
    let data = folder.appending(path: "data").path
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    for _ in 0..<3 {
      let result = await #expect(
        processExitsWith: .exitCode(1), observing: [\.standardErrorContent]
      ) { [path = folder.path as String, data = data as String] in
        await Program.run(path) { application in
          application.configuration.dataFolder = data
          application.configuration.certificateFile = data + "/none.pem"
          application.configuration.keyFile = data + "/none.key"
          application.screen("a", page: "a.html") { _ in EmptyViewModel() }
        }
      }

      let printed = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(printed.contains("none.pem"))
      #expect(!printed.contains("unclean end"))
    }
    let record = try RunRecord(folder: data, at: 0)
    #expect(!record.hasFailed)
    #expect(record.pause == .none)
  }

  @Test func `is told in one sentence if the command line cannot be used`() async throws {
    let result = await #expect(processExitsWith: .exitCode(2), observing: [\.standardErrorContent]) {
      await Application.run(["--bogus"], environment: [:]) { _ in }
    }

    try expect(result, "serve has no option --bogus; see serve --help.")
  }
}

/// A folder with one page.
private final class Pages {
  let folder = FileManager.default.temporaryDirectory.appending(path: "musubi-\(UUID().uuidString)")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(#"<!DOCTYPE html><title>a</title><body data-screen="a">"#.utf8)
      .write(to: folder.appending(path: "a.html"))
  }

  deinit {
    do {
      try FileManager.default.removeItem(at: folder)
    } catch {
      Issue.record(error)
    }
  }
}

/// What an author's `main` does.
private enum Program {
  static func run(
    _ folder: String, port: UInt16 = 0, add: (inout Application) -> Void
  ) async {
    var application = Application()
    application.configuration.port = port
    application.configuration.publicFolder = folder
    add(&application)
    await application.run([], environment: [:])
  }
}

/// A port of the loopback interface that somebody listens on.
private struct TakenPort: ~Copyable {
  let number: UInt16
  private let descriptor: Int32

  init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isListening)
    number = UInt16(bigEndian: address.sin_port)
  }

  deinit { close(descriptor) }
}
