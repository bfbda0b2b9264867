// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiWire

/// The command line that holds the pages against the screens: `check [--json] [options of serve]`.
enum CheckCommand {
  static let help = """
      --json    one JSON object a line, for editors: kind, file, line, message

    Each option of serve is taken as well; --public FOLDER says where the pages are. The exit status is 1 if something was
    found.
    """

  /// Takes `--json` out of the words.
  static func takesJSON(_ words: inout [String]) -> Bool {
    guard let index = words.firstIndex(of: "--json") else { return false }
    words.remove(at: index)
    return true
  }

  /// Checks an application's pages, and prints a line for each finding.
  ///
  /// - Returns: The exit status: 1 if there are findings, else 0.
  /// - Throws: `SchemaError` if the screens themselves cannot be used, `ServerError` if the folder cannot be read.
  static func run(_ application: Application, asJSON: Bool, write: (String) -> Void) throws -> Int32 {
    let folder = application.configuration.publicFolder
    let findings = try application.pageFindings()
    for finding in findings {
      if asJSON {
        write(finding.value(in: folder).description)
      } else {
        write("\(folder)/\(finding.file):\(finding.line): \(finding.message)")
      }
    }
    if !asJSON {
      write(findings.isEmpty ? "The pages fit the screens." : "\(findings.count) to look at.")
    }
    return findings.isEmpty ? 0 : 1
  }
}
