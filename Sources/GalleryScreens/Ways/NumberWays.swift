// SPDX-License-Identifier: Apache-2.0
import GalleryModel
public import Musubi

/// The number screen in the four ways of writing a ViewModel, all with one page.
public enum NumberWays {
  /// The routes; the number screen itself is the one with outlets.
  public static func add(to application: inout Application, scope: Scope = .room) {
    application.screen("number-streams", scope: scope, page: "number.html") { context in
      NumberStreams(draw: draw(context), number: try context.restored() ?? "0")
    }
    application.screen("number-properties", scope: scope, page: "number.html") { context in
      NumberProperties(draw: draw(context), number: try context.restored() ?? "0")
    }
    application.screen("number-state", scope: scope, page: "number.html") { context in
      NumberStateView(
        viewModel: NumberState(draw: draw(context), number: try context.restored() ?? "0"))
    }
  }

  private static func draw(_ context: ScreenContext) -> () -> Int {
    var random = context.random
    return { Int.random(in: 1...100, using: &random) }
  }
}
