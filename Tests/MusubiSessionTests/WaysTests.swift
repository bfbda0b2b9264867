// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import MusubiBinding
import MusubiTesting
import Testing

@testable import GalleryScreens

/// A way of writing a ViewModel, and its screen.
enum NumberWay: String, CaseIterable {
  case outlets, streams, properties, state

  func screen() throws -> TestScreen {
    switch self {
    case .outlets:
      try TestScreen {
        GalleryScreens.NumberView(model: RandomNumberModel(generator: RandomSource(seed: 1)))
      }
    case .streams: try TestScreen { NumberStreams(draw: { 7 }, number: "0") }
    case .properties: try TestScreen { NumberProperties(draw: { 7 }, number: "0") }
    case .state: try TestScreen { NumberStateView(viewModel: NumberState(draw: { 7 }, number: "0")) }
    }
  }
}

@Suite struct `The number screen in four ways` {
  @Test(arguments: NumberWay.allCases) func `is tested in the same way`(_ way: NumberWay) throws {
    let screen = try way.screen()
    #expect(screen["label"] == "0" && screen["number"] == "0")

    try screen.type("42", into: "number")
    #expect(screen["label"] == "42")
    try screen.type("", into: "number")
    #expect(screen["label"] == "42", "An empty field changes nothing.")
    try screen.tap("roll")
    #expect(screen["label"] == screen["number"])
    #expect(way == .outlets || screen["label"] == "7")

    #expect(throws: (any Error).self) { try screen.tap("rol") }
    #expect(throws: (any Error).self) { try screen.send(7, to: "number") }
    #expect(try screen.dialog == nil)
    #expect(try screen.opened == nil)
  }
}
