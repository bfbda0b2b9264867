// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession

// MARK: - What an author is told

extension Application {
  /// Prints which screens begin again with each process.
  func tellForgetful() {
    let names = forgetfulScreens
    guard !names.isEmpty else { return }
    StandardOutput.write("not Restorable, begins again with each process: \(names.joined(separator: ", "))\n")
  }

  /// The screens of which nothing is stored: neither their View or ViewModel nor a part of it is `Restorable`.
  var forgetfulScreens: [String] {
    let known = ModelProbe(models)
    return routes.filter { isForgetful($0, known) }.map(\.name)
  }

  /// Whether nothing of a screen is stored; of one that cannot be made the check tells.
  private func isForgetful(_ route: ScreenRoute, _ known: ModelProbe) -> Bool {
    let scheduler = RoomScheduler(clock: { .zero }, wallClock: { 0 })
    var context = ScreenContext(
      screen: route.name, room: nil, path: "/\(route.name)", clock: scheduler, random: RandomSource(seed: 0))
    context.models = known
    let asked = context
    let state = try? LoopContext.with(scheduler) { try Self.instance(of: route, asked).state == nil }
    return state ?? false
  }

  /// A screen, or the example of one that finds nothing without an address.
  private static func instance(of route: ScreenRoute, _ context: ScreenContext) throws -> ScreenInstance {
    do {
      return try ScreenInstance(route, context: context)
    } catch is ScreenNotFound {
      guard let example = route.example else { throw ScreenNotFound() }
      let builder = ScreenBuilder()
      let content = try builder.collect {
        let content = example()
        try content.start()
        return content
      }
      return ScreenInstance(builder: builder, content: content)
    }
  }
}
