// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What keeps the newest sources from being served, as the open pages show it.
struct Problem: Encodable, Equatable {
  /// What has failed.
  enum Kind: String, Encodable {
    /// The compiler.
    case build
    /// The check of the pages.
    case check
    /// The program's screens, of which one cannot be made.
    case screens
    /// The program, by a trap.
    case crash
    /// The program, by itself.
    case end
  }

  /// A sentence with its place.
  struct Finding: Encodable, Equatable {
    /// The file, from the package's folder on; nil if nobody has said.
    var file: String?
    var line: Int?
    var message: String
  }

  /// How many findings a page can be expected to show.
  static let maxFindings = 20
  /// How many notes of an error: an ambiguous call has one for each candidate.
  private static let maxNotes = 5

  let kind: Kind
  let findings: [Finding]
  /// Whether a process serves the pages nevertheless.
  var isRunning = false

  /// A problem as pages read it; `null` for none.
  static func json(of problem: Problem?) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(problem)
  }
}

extension Problem {
  /// What a compiler has said.
  init(build printed: String, in folder: String) {
    var errors: [Finding] = []
    // The notes that may still follow the last error; another message has notes of its own.
    var notes = 0
    for line in Self.lines(printed) {
      if let match = line.firstMatch(of: #/^(/.+?|[^ ].*?):(\d+):(?:\d+:)? (?:fatal )?error: (.+)$/#) {
        errors.append(
          Finding(file: Self.short(match.1, in: folder), line: Int(match.2), message: String(match.3)))
        notes = Self.maxNotes
      } else if let match = line.firstMatch(of: #/^(?:.*: )?error: (.+)$/#) {
        errors.append(Finding(message: String(match.1)))
        notes = 0
      } else if line.contains(": warning: ") {
        notes = 0
      } else if notes > 0, let match = line.firstMatch(of: #/^(/.+?):(\d+):\d+: note: (.+)$/#) {
        // What the error is about is often another line, or the reason.
        errors[errors.count - 1].message += "\n\(Self.short(match.1, in: folder)):\(match.2): \(match.3)"
        notes -= 1
      }
    }
    self.init(kind: .build, findings: Self.distinct(errors, orEndOf: printed))
  }

  /// What a check has said.
  ///
  /// - Parameters:
  ///   - printed: Its lines.
  ///   - status: How it has ended; above 128 by a signal.
  ///   - folder: The package's folder.
  init(check printed: String, status: Int32, in folder: String) {
    guard status <= 128 else {
      // The new program has trapped while it made its screens.
      let trap = #/^(.+?):(\d+): ((?:Fatal error|Precondition failed|Assertion failed).*)$/#
      let places = Self.lines(printed).compactMap { $0.firstMatch(of: trap) }
      // Swift's own line is not the author's, but has the reason.
      let own = places.first { !$0.1.hasPrefix("Swift/") } ?? places.first
      let finding = own.map {
        Finding(file: Self.short($0.1, in: folder), line: Int($0.2), message: String($0.3))
      }
      let end = status < 160 ? "signal \(status - 128)" : "exit status \(status)"
      self.init(kind: .screens, findings: [finding ?? Finding(message: "The program has ended by \(end).")])
      return
    }
    let findings = Self.lines(printed).compactMap { line in
      line.firstMatch(of: #/^(.+?):(\d+): (.+)$/#).map {
        Finding(file: Self.short($0.1, in: folder), line: Int($0.2), message: String($0.3))
      }
    }
    guard findings.isEmpty, let sentence = Self.lines(printed).last?.firstMatch(of: #/^[\w.-]+: (.+)$/#)?.1
    else {
      self.init(kind: .check, findings: Self.distinct(findings, orEndOf: printed))
      return
    }
    // No page is at fault: the program has said one sentence behind its name.
    self.init(kind: .screens, findings: [Finding(message: String(sentence.prefix(2_000)))])
  }

  /// What the last lines of a program say that has ended.
  init(end printed: String) {
    self.init(kind: .end, findings: Self.distinct([], orEndOf: printed))
  }

  /// All of its lines, without the colors of a terminal.
  private static func lines(_ printed: String) -> [Substring] {
    printed.replacing(#/\u{1b}\[[0-9;]*m/#, with: "").split(whereSeparator: \.isNewline)
  }

  /// A compiler may say one thing once for each file.
  private static func distinct(_ findings: [Finding], orEndOf printed: String) -> [Finding] {
    var known: [Finding] = []
    func place(_ one: Finding) -> [String?] {
      [one.file, one.line.map(String.init), one.message.split(separator: "\n").first.map(String.init)]
    }
    for finding in findings
    where !known.contains(where: { place($0) == place(finding) }) && known.count < maxFindings {
      known.append(finding)
    }
    // With a place there is more to see than the sentence that there was an error.
    if known.contains(where: { $0.file != nil }) { known.removeAll { $0.file == nil } }
    guard known.isEmpty, let last = lines(printed).last else { return known }
    return [Finding(message: String(last.prefix(2_000)))]
  }

  /// A path as one says it in the package's folder.
  private static func short(_ path: Substring, in folder: String) -> String {
    String(path.hasPrefix(folder + "/") ? path.dropFirst(folder.count + 1) : path)
  }
}
