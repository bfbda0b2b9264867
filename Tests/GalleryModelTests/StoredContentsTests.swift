// SPDX-License-Identifier: Apache-2.0
import Foundation
import GalleryAPI
import GalleryModel
import MusubiBinding
import MusubiRx
import MusubiSQLite
import Testing

/// Two visitors' screens over one model and a real database.
@Suite(.timeLimit(.minutes(5))) struct `Contents in a database` {
  private let folder: URL

  init() {
    folder = FileManager.default.temporaryDirectory.appending(path: "contents-\(UUID().uuidString)")
  }

  @Test func `tell the screen that asked that the database is locked, and lose nothing`() async throws {
    var configuration = ContentsConfiguration()
    configuration.database.connection.busyTimeout = .zero
    let (ann, bob) = try screens(configuration)
    defer { remove() }
    await ann.post("A", "a")
    let holder = try SQLiteConnection(.file(folder.appending(path: "contents.sqlite").path))
    try holder.run("BEGIN EXCLUSIVE")

    await ann.post("B", "b")
    #expect(ann.error == "busy")
    #expect(ann.cleared == 1)
    await ann.delete(1)
    #expect(ann.error == "busy")
    #expect(bob.error == "")
    #expect(ann.titles == ["A"])
    try holder.run("ROLLBACK")
    await ann.post("B", "b")

    #expect(ann.error == "")
    #expect(bob.titles == ["B", "A"])
  }

  @Test func `tell the screen that asked that the disk is full, and lose nothing`() async throws {
    var configuration = ContentsConfiguration()
    configuration.database.connection.maxPages = 12
    let (ann, bob) = try screens(configuration)
    defer { remove() }
    var posted = 0
    while ann.error == "", posted < 20 {
      await ann.post("A", String(repeating: "a", count: 9_000))
      if ann.error == "" { posted += 1 }
    }

    #expect(ann.error == "diskFull")
    #expect(bob.error == "")
    #expect(ann.cleared == posted)
    #expect(bob.titles.count == posted)
    #expect(posted > 0)
  }

  private func remove() {
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record(error) }
  }

  private func screens(_ configuration: ContentsConfiguration) throws -> (VisitorScreen, VisitorScreen) {
    let model = Shared(ContentsModel(api: try ContentsAPI(folder: folder, configuration: configuration)))
    return (VisitorScreen(model), VisitorScreen(model))
  }
}

private struct KindNames: ContentsResources {
  func text(of problem: ContentsError.Kind) -> String { "\(problem)" }
  func translations(of problem: ContentsError.Kind) -> Translations { Translations(en: "", ja: "") }
  func colour(of problem: ContentsError.Kind) -> String { "" }
}

/// One visitor's contents screen; waits for the answers of the database.
private final class VisitorScreen {
  private(set) var error = ""
  private(set) var titles: [String] = []
  private(set) var cleared = 0
  private let title = PublishRelay<String>()
  private let text = PublishRelay<String>()
  private let tap = PublishRelay<Void>()
  private let deletion = PublishRelay<Int64>()
  private let confirmation = PublishRelay<Void>()
  private let viewModel: ContentsViewModel
  private let model: Shared<ContentsModel>
  private let bag = DisposeBag()

  init(_ model: Shared<ContentsModel>) {
    self.model = model
    viewModel = ContentsViewModel(model: model, resources: KindNames())
    let outputs = viewModel.bind(
      .init(
        title: title.asSignal(), inputText: text.asSignal(), tapButton: tap.asSignal(),
        delete: deletion.asSignal(), confirmDelete: confirmation.asSignal()))
    bag.insert(
      outputs.error.drive(onNext: { [unowned self] in error = $0 }),
      outputs.contents.drive(onNext: { [unowned self] in titles = $0.map(\.title) }),
      outputs.title.drive(onNext: { [unowned self] _ in cleared += 1 }))
  }

  func post(_ title: String, _ text: String) async {
    self.title.accept(title)
    self.text.accept(text)
    tap.accept(())
    await model.settle()
  }

  func delete(_ id: Int64) async {
    deletion.accept(id)
    confirmation.accept(())
    await model.settle()
  }
}
