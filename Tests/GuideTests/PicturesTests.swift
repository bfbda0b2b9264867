import Foundation
import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `A wall of pictures` {
  private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  @Test func `shows a picture, and keeps its bytes`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let screen = try TestScreen { PicturesViewModel(folder: folder.path, arriving: .just([])) }

    try screen.upload("tea.png", png, to: "picture")
    #expect(throws: (any Error).self) {
      try screen.upload("tea.png", Array("no picture".utf8), to: "picture")
    }

    #expect(screen["pictures"]?.contains(#""name":"tea.png""#) == true)
    #expect(screen["problem"] == "")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test func `tells what is being sent`() throws {
    let clock = TestScheduler(initialClock: 0)
    let screen = try TestScreen(query: [:], clock: clock) { context in
      PicturesViewModel(folder: "", arriving: context.arrivingFiles(for: "picture"))
    }
    #expect(screen["arriving"] == "[]")

    screen.setArriving([ArrivingFile(id: "1", name: "tea.png", size: 200, received: 50)], for: "picture")
    clock.advanceTo(1)
    #expect(screen["arriving[0].fraction"] == "0.25")
    screen.setArriving([], for: "picture")
    clock.advanceTo(2)
    #expect(screen["arriving"] == "[]")
  }
}
