// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The folder that holds the package.
let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A mistake that somebody could make: in a file of the browser client, one text instead of another.
struct PlantedMistake: CustomStringConvertible, Sendable {
  let description: String
  let file: String
  let right: String
  let wrong: String
  /// Where it shows.
  var seeds: Range<UInt64> = 0..<300

  /// Runs something with a copy of the client that has the mistake.
  func plant(_ run: (URL) throws -> Void) throws {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    try files.copyItem(at: repository.appendingPathComponent("Sources/BrowserClient/musubi"), to: folder)
    defer { #expect(throws: Never.self) { try files.removeItem(at: folder) } }
    let file = folder.appendingPathComponent(self.file)
    let source = try String(contentsOf: file, encoding: .utf8)
    try #require(source.contains(right))
    try source.replacingOccurrences(of: right, with: wrong).write(to: file, atomically: true, encoding: .utf8)
    try run(folder)
  }
}
