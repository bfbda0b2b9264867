// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiClient
import MusubiWire

extension ScriptRun {
  /// Sends a file by HTTP, and then the input that names it; other pages wait meanwhile.
  func upload(_ name: String, in folder: String, to path: Path) throws(StepFailure) {
    let client = try client(path.client)
    let input = try now.input(at: path)
    guard let contents = FileManager.default.contents(atPath: name.hasPrefix("/") ? name : folder + name)
    else {
      throw StepFailure("The file '\(name)' cannot be read.")
    }
    guard let address = client.connection.session.uploadAddress(of: input.name) else {
      throw StepFailure(
        "\(client.name) may send no files to '\(input.name)'.", details: client.report)
    }
    do throws(ClientError) {
      let upload = try client.connection.upload(
        Array(contents), named: String(name.split(separator: "/").last ?? ""), to: address,
        until: ContinuousClock.now.advanced(by: deadline))
      client.connection.update { $0.set(input.name, to: .string(upload), row: input.row) }
    } catch {
      throw StepFailure("\(client.name): \(error)", details: client.report)
    }
  }
}
