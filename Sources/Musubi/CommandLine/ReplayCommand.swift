// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import MusubiBinding
import MusubiServer
import MusubiSession

/// The command line that runs a record against today's program: `replay FILE [options of serve]`.
enum ReplayCommand {
  static let help = """
      --to-test FILE.swift    writes a test that runs the record, which is copied beside it

    FILE is a record that serve --record FOLDER has written. Its events run against the screen of this program, in the
    record's own time, without a server; the first turn that differs is told.

    Each option of serve is taken as well. The exit status is 0 if all turns are the same, 1 if one differs, and 2 if the
    record cannot be read, or not be run to its end.
    """

  /// Takes the file out of the words.
  ///
  /// - Throws: `CommandLineError` if there is none.
  static func takeFile(_ words: inout [String]) throws(CommandLineError) -> String {
    guard let file = words.first, !file.hasPrefix("-") else {
      throw CommandLineError("replay needs a record: replay FILE.")
    }
    words.removeFirst()
    return file
  }

  /// Takes `--to-test FILE` out of the words.
  ///
  /// - Throws: `CommandLineError` if the file is no Swift file.
  static func takeTest(_ words: inout [String]) throws(CommandLineError) -> String? {
    guard let index = words.firstIndex(of: "--to-test") else { return nil }
    guard index + 1 < words.count, words[index + 1].hasSuffix(".swift") else {
      throw CommandLineError("--to-test needs the name of the test's file: --to-test FILE.swift.")
    }
    defer { words.removeSubrange(index...index + 1) }
    return words[index + 1]
  }

  /// Runs a record, and tells what it has found.
  ///
  /// - Parameters:
  ///   - application: Has the screens.
  ///   - file: The record.
  ///   - test: The file of a test to write; nil for none.
  ///   - module: The program's module, for the test.
  ///   - write: Takes the sentences.
  /// - Returns: The exit status.
  /// - Throws: `CommandLineError` if the record cannot be used.
  static func run(
    _ application: Application, file: String, test: String?, module: String, write: (String) -> Void
  ) throws -> Int32 {
    let record = try read(file)
    let replay: RoomReplay
    let report: RoomReplay.Report
    do {
      (replay, report) = try application.replay(record)
    } catch {
      throw CommandLineError("\(file) cannot be replayed: \(withoutStop("\(error)")).")
    }
    write(report.description)
    if let test {
      let copy = try writeTest(test, of: file, module: module, replay, report)
      write("\(test) is written, and \(copy) beside it. Look at how it makes the screen.")
    }
    switch report.end {
    case .same: return 0
    case .differs: return 1
    case .cameFromOutside: return 2
    }
  }
}

extension ReplayCommand {
  /// The text of a record.
  ///
  /// - Throws: `CommandLineError` that says what is there instead.
  private static func read(_ file: String) throws(CommandLineError) -> String {
    guard access(file, R_OK) == 0 else {
      let problem = errno
      guard ![ENOENT, ENOTDIR].contains(problem) else { throw CommandLineError("there is no file \(file).") }
      throw CommandLineError("\(file) cannot be read: \(String(cString: strerror(problem))).")
    }
    var isFolder: ObjCBool = false
    _ = FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
    guard !isFolder.boolValue else {
      throw CommandLineError("\(file) is a folder; name one of the records in it.")
    }
    let bytes: Data
    do { bytes = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
      throw CommandLineError("\(file) cannot be read: \(error.localizedDescription)")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CommandLineError("\(file) cannot be replayed: it is no text.")
    }
    return text
  }

  /// A sentence of somebody else, to stand at the end of one of ours.
  private static func withoutStop(_ sentence: String) -> Substring {
    sentence.hasSuffix(".") ? sentence.dropLast() : sentence[...]
  }

  /// Writes a test, and copies the record beside it.
  ///
  /// - Returns: The name of the copy.
  /// - Throws: `CommandLineError` if one of the files is there already, or cannot be written.
  private static func writeTest(
    _ test: String, of record: String, module: String, _ replay: RoomReplay, _ report: RoomReplay.Report
  ) throws(CommandLineError) -> String {
    let test = URL(fileURLWithPath: test).standardizedFileURL
    let record = URL(fileURLWithPath: record).standardizedFileURL
    let folder = test.deletingLastPathComponent()
    let copy = folder.appending(path: record.lastPathComponent)
    let isBeside = copy.path == record.path
    for file in isBeside ? [test] : [test, copy] where FileManager.default.fileExists(atPath: file.path) {
      let other = file == test ? "file" : "folder"
      throw CommandLineError("\(file.path) is there already; name another \(other).")
    }
    let day = Date(timeIntervalSince1970: replay.made).formatted(.iso8601.year().month().day())
    let text = """
      import MusubiTesting
      import Testing

      @testable import \(module)

      @Test func `the screen \(replay.screen) shows what it showed on \(day)`() throws {
        let replay = try Replay("\(copy.lastPathComponent)") { context in
          // As the application makes it.
          \(report.content)()
        }

        #expect(replay.problem == nil)
      }

      """
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      if !isBeside { try FileManager.default.copyItem(at: record, to: copy) }
      try Data(text.utf8).write(to: test)
    } catch {
      throw CommandLineError("\(test.path) cannot be written: \(withoutStop(error.localizedDescription)).")
    }
    return copy.path
  }
}

extension Application {
  /// Runs a record against today's screens.
  fileprivate func replay(_ record: String) throws -> (replay: RoomReplay, report: RoomReplay.Report) {
    try checkScreens()
    let replay = try RoomReplay(record: record, isHere: ProcessMemory.isOnThisThread)
    let route = try replay.route(among: routes + models)
    return (replay, try replay.run(configuration.sessions, models: ModelProbe(models), route.make))
  }
}
