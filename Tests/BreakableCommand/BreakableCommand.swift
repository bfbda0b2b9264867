// SPDX-License-Identifier: Apache-2.0
import Glibc
import GalleryScreens
import Musubi

/// `musubi-breakable`: the gallery, and screens that count exactly, crash, burn time or wait in vain.
///
/// For tests that break a server on purpose; nobody serves these screens.
@main
struct BreakableCommand {
  static func main() async {
    await Application.run { application in
      application.configuration.countsLoopback = getenv("MUSUBI_COUNTS_LOOPBACK") != nil
      try await Gallery.addScreens(to: &application)
      BreakableScreens.add(to: &application)
    }
  }
}
