// SPDX-License-Identifier: Apache-2.0
import GallerySegments
import Testing

@Suite struct `The segments' ViewModel` {
  private let viewModel = SegmentsViewModel()

  private func listen() -> Heard {
    let heard = Heard()
    viewModel.stateDidUpdate = { heard.states.append($0) }
    return heard
  }

  @Test func `tells its first listener where it stands`() {
    viewModel.select(1)

    #expect(listen().states == [.second])
  }

  @Test func `tells each selection, and ignores segments that do not exist`() {
    let heard = listen()

    viewModel.select(1)
    viewModel.select(2)
    viewModel.select(-1)
    viewModel.select(0)

    #expect(heard.states == [.first, .second, .first])
  }

  @Test func `hands a text over to the next screen`() {
    let heard = listen()

    viewModel.select(1)
    viewModel.next()

    let text = GreetingText(en: "You came from the second segment.", ja: "二番目のセグメントから来ました。")
    #expect(heard.states.last == .next(text))
  }

  @Test func `says nothing once nobody listens`() {
    let heard = listen()
    viewModel.stateDidUpdate = nil

    viewModel.select(1)

    #expect(heard.states == [.first])
  }
}

@Suite struct `The greeting's ViewModel` {
  @Test func `shows the text that it was given`() {
    var states: [GreetingViewModel.State] = []
    let text = GreetingText(en: "hello", ja: "こんにちは")
    let viewModel = GreetingViewModel(text: text)

    viewModel.stateDidUpdate = { states.append($0) }

    #expect(states == [.text(text)])
  }
}

private final class Heard {
  var states: [SegmentsViewModel.State] = []
}
