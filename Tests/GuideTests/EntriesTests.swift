import Musubi
import MusubiTesting
import Testing

@testable import GuideExamples

@Suite struct `Many entries` {
  @Test func `come as far as the page looks`() throws {
    let screen = try TestScreen { EntriesViewModel(model: EntriesModel(count: 100_000)) }
    #expect(screen["entries.count"] == "100000")

    try screen.look(at: "entries", first: 50_000, count: 20)
    try screen.tap("add")

    // An entry more above them moves nothing.
    #expect(screen["entries.first"] == "50001")
    #expect(screen["entries.count"] == "100001")
  }

  @Test func `are the same in outlets`() throws {
    let screen = try TestScreen { EntriesView(model: EntriesModel(count: 1_000)) }

    try screen.look(at: "entries", first: 998, count: 1)
    try screen.tap("toggle", row: "999")

    #expect(screen["entries.rows"] == #"[{"id":999,"text":"Entry 999","isDone":true}]"#)
  }
}
