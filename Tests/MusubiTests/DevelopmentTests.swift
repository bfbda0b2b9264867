// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Musubi

private final class CupViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class KeptViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {}
  struct Outputs: Encodable {}
  let state = 1
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

@Suite struct `What an author is told of screens` {
  @Test func `is which of them begin again, because nothing of them is stored`() {
    var application = Application()
    application.screen("cup", page: "cup.html") { _ in CupViewModel() }
    application.screen("kept", page: "cup.html") { _ in KeptViewModel() }
    application.screen("lost", page: "cup.html", example: { CupViewModel() }) { _ in throw ScreenNotFound() }
    application.screen("found", page: "cup.html", example: { KeptViewModel() }) { _ in throw ScreenNotFound()
    }

    #expect(application.forgetfulScreens == ["cup", "lost"])
  }
}
