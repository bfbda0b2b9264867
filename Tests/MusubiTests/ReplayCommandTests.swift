// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiBinding
import Testing

@testable import Musubi

/// A teapot that counts its cups; `step` is what a test changes.
private final class CupsView: View {
  private let pour = Button("pour")
  private let cups = Label("cups")
  private var count = 0
  private let step: Int

  init(step: Int) { self.step = step }

  override func viewDidLoad() {
    cups.text = "0"
    pour.onTap = { [unowned self] in
      count += step
      cups.text = "\(count)"
    }
  }
}

/// What went wrong, in a sentence that ends by itself.
private struct NoTea: Error, CustomStringConvertible {
  let description = "There is no tea today."
}

@Suite(.timeLimit(.minutes(5))) struct `The command line of replay` {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "musubi-\(UUID().uuidString)")
  /// One page pours one cup.
  private let record = """
    {"version":1,"key":{"screen":"cups","name":"main","isPrivate":false},"epoch":"e","path":"/cups","parameters":{},\
    "query":{},"visitor":{"locales":[]},"seed":1,"made":1795711635.5,"isPresented":false}
    {"at":10,"start":{"cups":"0"}}
    {"at":20,"guest":{"number":1,"session":"s","screen":0,"visitor":{"locales":[]}}}
    {"at":30,"event":{"join":{"member":1}}}
    {"at":40,"turn":{}}
    {"at":50,"event":{"input":{"member":1,"number":1,"name":"pour","row":[]}}}
    {"at":60,"turn":{"sequence":1,"patch":[{"op":"replace","path":"/cups","value":"1"}]}}

    """

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func write(_ text: String, to name: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
  }

  private func read(_ name: String) -> String? {
    try? String(contentsOf: URL(fileURLWithPath: path(name)), encoding: .utf8)
  }

  /// What the command prints, without the folder, and its exit status.
  private func run(
    _ words: String..., making make: @escaping @Sendable () throws -> View = { CupsView(step: 1) }
  ) async -> (status: Int32, printed: [String]) {
    let lines = PrintedLines()
    let program = Program(name: "Tea", environment: [:], write: lines.add, complain: lines.add)
    let status = await program.run(["replay"] + words) { configuration in
      var application = Application(configuration: configuration)
      application.screen("cups", scope: .room, page: "cups.html") { _ in try make() }
      return application
    }
    return (status, lines.all.map { $0.replacing(folder.path + "/", with: "") })
  }

  private var sentence: String { "All 2 turns are the same, after 2 events." }

  @Test func `tells that all is the same, or what differs`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    let same = await run(path("one.record"))
    let other = await run(path("one.record")) { CupsView(step: 2) }

    #expect(same.status == 0 && same.printed == [sentence])
    #expect(other.status == 1)
    #expect(
      other.printed == [
        """
        Turn 2 is the first that differs, 0.000 s after the room was made:
          event     page 1 sends pour
          output    cups
          recorded  "1"
          today     "2"
        """
      ])
  }

  @Test func `says of a file that is not there that there is none`() async {
    for name in ["nofile", "nofolder/nofile"] {
      let outcome = await run(path(name))

      #expect(outcome.status == 2 && outcome.printed == ["Tea: there is no file \(name)."])
    }
  }

  @Test func `says of a folder that it is one`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(atPath: path("records"), withIntermediateDirectories: true)
    let outcome = await run(path("records"))

    #expect(outcome.status == 2)
    #expect(outcome.printed == ["Tea: records is a folder; name one of the records in it."])
  }

  @Test func `says of a file that it cannot read what the system says`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // Root reads whatever there is, but no link to itself.
    try FileManager.default.createSymbolicLink(atPath: path("knot"), withDestinationPath: path("knot"))
    let knot = await run(path("knot"))

    #expect(knot.status == 2)
    #expect(knot.printed == ["Tea: knot cannot be read: \(String(cString: strerror(ELOOP)))."])

    guard geteuid() != 0 else { return }
    try write(record, to: "closed")
    chmod(path("closed"), 0)
    let closed = await run(path("closed"))

    #expect(closed.status == 2)
    #expect(closed.printed == ["Tea: closed cannot be read: \(String(cString: strerror(EACCES)))."])
  }

  @Test func `says of a file that is no record why`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let sentences = [
      "": "the record is empty", "# Tea\n": "the first line is no head of a record",
      record.replacing("cups", with: "pots"): "the program has no screen \"pots\"; it has cups",
    ]
    for (text, sentence) in sentences {
      try write(text, to: "file")
      let outcome = await run(path("file"))

      #expect(outcome.status == 2 && outcome.printed == ["Tea: file cannot be replayed: \(sentence)."])
    }
    try Data([0x89, 0xff, 0x0a]).write(to: URL(fileURLWithPath: path("file")))
    let picture = await run(path("file"))
    #expect(picture.status == 2 && picture.printed == ["Tea: file cannot be replayed: it is no text."])
  }

  @Test func `ends with one stop what a screen says that cannot be made`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    let outcome = await run(path("one.record")) { throw NoTea() }

    #expect(outcome.status == 2 && outcome.printed.count == 1)
    #expect(outcome.printed.first?.hasPrefix("Tea: one.record cannot be replayed: ") == true)
    #expect(outcome.printed.first?.hasSuffix("There is no tea today.") == true)
  }

  @Test func `writes a test, and copies the record beside it into a new folder`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    let outcome = await run(path("one.record"), "--to-test", path("Tests/TeaTests/OneCup.swift"))

    #expect(outcome.status == 0)
    #expect(
      outcome.printed == [
        sentence,
        "Tests/TeaTests/OneCup.swift is written, and Tests/TeaTests/one.record beside it. "
          + "Look at how it makes the screen.",
      ])
    #expect(read("Tests/TeaTests/one.record") == record && read("one.record") == record)
    #expect(
      read("Tests/TeaTests/OneCup.swift") == """
        import MusubiTesting
        import Testing

        @testable import Tea

        @Test func `the screen cups shows what it showed on 2026-11-26`() throws {
          let replay = try Replay("one.record") { context in
            // As the application makes it.
            CupsView()
          }

          #expect(replay.problem == nil)
        }

        """)
  }

  @Test func `writes a test of a record that differs, and of one that is beside it already`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    let outcome = await run("--to-test", path("OneCup.swift"), path("./one.record")) { CupsView(step: 2) }

    #expect(outcome.status == 1)
    #expect(outcome.printed.last?.hasPrefix("OneCup.swift is written, and one.record beside it.") == true)
    #expect(read("one.record") == record)
    #expect(read("OneCup.swift")?.contains("Replay(\"one.record\")") == true)
  }

  @Test func `writes over no file, neither a test nor a record`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    try write("mine", to: "Mine.swift")
    let test = await run(path("one.record"), "--to-test", path("Mine.swift"))

    #expect(test.status == 2)
    #expect(test.printed == [sentence, "Tea: Mine.swift is there already; name another file."])
    #expect(read("Mine.swift") == "mine")

    try FileManager.default.createDirectory(atPath: path("Tests"), withIntermediateDirectories: true)
    try write("mine", to: "Tests/one.record")
    let copy = await run(path("one.record"), "--to-test", path("Tests/OneCup.swift"))

    #expect(copy.status == 2)
    #expect(copy.printed == [sentence, "Tea: Tests/one.record is there already; name another folder."])
    #expect(read("Tests/one.record") == "mine" && read("Tests/OneCup.swift") == nil)
  }

  @Test func `says of a test that it cannot write what the system says, with one stop`() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try write(record, to: "one.record")
    let outcome = await run(path("one.record"), "--to-test", path("one.record/OneCup.swift"))

    #expect(outcome.status == 2)
    let told = try #require(outcome.printed.last)
    #expect(told.hasPrefix("Tea: one.record/OneCup.swift cannot be written: "))
    #expect(told.hasSuffix(".") && !told.hasSuffix(".."))
  }

  @Test func `needs the name of a Swift file for a test`() async {
    for outcome in [await run("one.record", "--to-test"), await run("one.record", "--to-test", "Tests")] {
      #expect(outcome.status == 2)
      #expect(
        outcome.printed == ["Tea: --to-test needs the name of the test's file: --to-test FILE.swift."])
    }
  }
}
