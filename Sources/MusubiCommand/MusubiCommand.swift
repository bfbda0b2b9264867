// SPDX-License-Identifier: Apache-2.0
import Glibc
import Musubi

/// The tool for who writes applications: `musubi new Tea` begins one.
@main
struct MusubiCommand {
  static func main() {
    let status = Tool().run(Array(CommandLine.arguments.dropFirst()))
    if status != 0 { exit(status) }
  }
}
