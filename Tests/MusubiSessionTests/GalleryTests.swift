// SPDX-License-Identifier: Apache-2.0
import Foundation
@testable import GalleryScreens
import Musubi
import MusubiBinding
import MusubiRx
import MusubiSession
import Testing

@Suite(.timeLimit(.minutes(5))) struct `The screens of the gallery` {
  @Test func `all have a state that survives a restart`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("musubi-\(UUID().uuidString)")
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    var configuration = Configuration()
    configuration.dataFolder = folder.path
    var application = Application(configuration: configuration)
    try await Gallery.addScreens(to: &application)

    #expect(application.routes.count >= 9)
    for route in application.routes {
      let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
      var context = ScreenContext(
        screen: route.name, room: nil, path: route.path, clock: scheduler, random: RandomSource(seed: 0))
      context.models = ModelProbe(application.models)
      // A screen that only an address finds is shown by its example.
      let shown = ScreenRoute(name: route.name, scope: route.scope) { context in
        try route.example?() ?? route.make(context)
      }
      let instance = try LoopContext.with(scheduler) { try ScreenInstance(shown, context: context) }
      #expect(instance.state != nil, "\(route.name) begins again")
    }
  }
}
