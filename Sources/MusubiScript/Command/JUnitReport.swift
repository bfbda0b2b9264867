// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The report that CI systems read: one test case for each script.
enum JUnitReport {
  /// The report as XML.
  static func text(_ results: [ScriptResult]) -> String {
    let failures = results.filter { $0.outcome.failure != nil }.count
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuite name="scripts" tests="\#(results.count)" failures="\#(failures)">"#,
    ]
    for result in results {
      let seconds = result.outcome.duration / .seconds(1)
      let head = #"  <testcase classname="scripts" name="\#(escaped(result.file))" time="\#(seconds)""#
      guard let failure = result.outcome.failure else {
        lines.append(head + "/>")
        continue
      }
      let first = failure.split(separator: "\n").first ?? ""
      lines.append("\(head)>")
      lines.append(#"    <failure message="\#(escaped(first))">\#(escaped(failure))</failure>"#)
      lines.append("  </testcase>")
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }

  /// Writes the report.
  ///
  /// - Returns: Whether that worked.
  static func write(_ results: [ScriptResult], to file: String) -> Bool {
    FileManager.default.createFile(atPath: file, contents: Data(text(results).utf8))
  }

  /// Text for XML; control characters, which XML cannot hold at all, become `�`.
  private static func escaped(_ text: some StringProtocol) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result.unicodeScalars.append(scalar)
      default:
        result.unicodeScalars.append(scalar.value < 0x20 || scalar.value > 0xfffd ? "\u{fffd}" : scalar)
      }
    }
    return result
  }
}
