// SPDX-License-Identifier: Apache-2.0

extension Problem {
  /// A program has ended by a signal.
  ///
  /// - Parameters:
  ///   - signal: The signal.
  ///   - printed: What it has printed on standard error.
  ///   - report: The report of Swift's runtime; empty if there is none.
  ///   - folder: The package's folder, whose `Sources` are the author's own.
  init(crash signal: Int32, printed: String, report: String, in folder: String) {
    let frame = Self.ownFrame(in: report, of: folder)
    let reason = Self.reason(printed, report) ?? "signal \(signal)"
    self.init(
      kind: .crash,
      findings: [
        Finding(
          file: frame?.file, line: frame?.line,
          message: reason + (frame.map { " in \($0.function)" } ?? ""))
      ])
  }

  /// The first finding as a line for the terminal.
  var sentence: String {
    guard let finding = findings.first else { return "" }
    let place = finding.file.map { "\($0):\(finding.line ?? 1): " } ?? ""
    return place + finding.message
  }

  /// Why, as the program or the runtime says it.
  private static func reason(_ printed: String, _ report: String) -> String? {
    if let match = printed.matches(of: #/(?m)^.*Fatal error(?:: (.+))?$/#).last {
      return match.1.map(String.init) ?? "Fatal error"
    }
    if let match = report.firstMatch(of: #/Swift runtime failure: (.+?) (?:\+|in|at) /#) {
      return String(match.1)
    }
    return report.firstMatch(of: #/Program crashed: (.+?) at 0x/#).map { String($0.1) }
  }

  /// The innermost frame of the package's own sources.
  private static func ownFrame(
    in report: String, of folder: String
  ) -> (function: String, file: String, line: Int)? {
    let place =
      #/
      ^\s*\d+\ (?:\[[a-z]+\]\ )*\s*(?:0x[0-9a-f]+\ )?
      (.+?)(?:\ \+\ \d+)?\ in\ .+?\ at\ (\/.+?):(\d+)(?::\d+)?$
      /#
    for line in report.split(separator: "\n") {
      guard let match = line.firstMatch(of: place), match.2.hasPrefix(folder + "/Sources/") else { continue }
      return (String(match.1), String(match.2.dropFirst(folder.count + 1)), Int(match.3) ?? 1)
    }
    return nil
  }
}
