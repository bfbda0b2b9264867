// SPDX-License-Identifier: Apache-2.0
import GalleryModel
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

@Suite struct `A screen beside its source` {
  private func screen(_ path: String, room: String?, here: Int = 0) throws -> TestScreen {
    let code = path.isEmpty ? "" : "/source/code.svg?screen=\(path.dropFirst())"
    return try TestScreen { SourceViewModel(path: path, code: code, room: room, here: .just(here)) }
  }

  @Test func `is in its room, for a second window and for phones`() throws {
    let shown = try screen("/board", room: "try-1", here: 3)
    #expect(shown["address"] == "/board?room=try-1")
    #expect(shown["code"] == "/source/code.svg?screen=board&room=try-1")
    #expect(shown["room"] == "try-1" && shown["here"] == "3")
  }

  @Test func `is where it is without a room, and nowhere if there is none`() throws {
    let own = try screen("/search", room: nil)
    #expect(
      own["address"] == "/search" && own["code"] == "/source/code.svg?screen=search" && own["room"] == "")
    let none = try screen("", room: nil)
    #expect(none["address"] == "" && none["code"] == "")
  }
}
