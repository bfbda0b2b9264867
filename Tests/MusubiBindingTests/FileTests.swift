// SPDX-License-Identifier: Apache-2.0
import Foundation
import MusubiBinding
import MusubiRx
import MusubiTesting
import Observation
import Testing

private let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

private final class PhotosViewModel: InputOutputViewModel {
  struct Row: Codable, Identifiable { let id: Int }

  struct Cover: Decodable {
    let id: Int
    let value: UploadedFile
  }

  struct Inputs: Decodable {
    var photo: Signal<UploadedFile> = .never()
    var signed: Signal<Sent<UploadedFile>> = .never()
    var cover: Signal<Cover> = .never()
  }

  struct Outputs: Encodable {
    let log: Driver<[String]>
    let rows: Driver<[Row]>
  }

  static var rules: [InputRule<Inputs>] {
    [
      .limit(\.photo, to: .bytes(20), types: ["image/*"]), .limit(\.signed, to: .kilobytes(1)),
      .limit(\.cover, to: .kilobytes(1), types: ["text/plain"]), .allow(\.signed, for: .signedIn),
    ]
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let all = Signal.merge(
      inputs.photo.map { "\($0.name) \($0.type) \($0.size)" },
      inputs.signed.map { "\($0.value.sha256) \($0.sender.id ?? "nobody")" },
      inputs.cover.map { "row \($0.id) \($0.value.name)" })
    return Outputs(
      log: all.scan([]) { $0 + [$1] }.asDriver(onErrorJustReturn: []).startWith([]), rows: .just([Row(id: 7)])
    )
  }
}

private final class PhotosView: View {
  let photo = FileField("photo")
  let shown = Label("shown")
  let called = Label("called")
  private let bag = DisposeBag()

  override class var rules: [InputRule<View>] { [.limit("photo", to: .bytes(20), types: ["image/*"])] }

  override func viewDidLoad() {
    photo.rx.file.map(\.name).bind(to: shown.rx.text).disposed(by: bag)
    photo.onFile = { [unowned self] in called.text = $0.type }
  }
}

@Observable private final class PhotosModel: ObservableViewModel {
  var names: [String] = []

  static var bindings: [PageBinding<PhotosModel>] {
    [
      .output("names", \.names),
      .action("photo") { (model, file: UploadedFile) in model.names.append(file.name) },
      .action("slow", failure: "problem") { (model, file: UploadedFile) async throws in
        await Task.yield()
        model.names.append("slow \(file.name)")
      },
    ]
  }

  static var rules: [InputRule<PhotosModel>] {
    [.limit("photo", to: .bytes(20), types: ["image/*"]), .limit("slow", to: .bytes(20))]
  }
}

private final class UnlimitedView: View {
  let photo = FileField("photo")
}

private final class MisruledView: View {
  let name = TextField("name")
  let photo = FileField("photo")

  override class var rules: [InputRule<View>] {
    [.limit("photo", to: .bytes(1)), .limit("name", to: .bytes(1))]
  }
}

private final class MistypedView: View {
  let photo = FileField("photo")

  override class var rules: [InputRule<View>] { [.limit("photo", to: .bytes(1), types: ["png"])] }
}

@Suite(.timeLimit(.minutes(5))) struct `A control that takes files` {
  @Test func `gives a ViewModel each file with what it is`() throws {
    let screen = try TestScreen(visitor: Visitor(id: "ann")) { PhotosViewModel() }
    try screen.upload("tea.png", png, to: "photo")
    try screen.upload("abc.txt", Array("abc".utf8), to: "signed")
    try screen.upload("cup.txt", Array("cup".utf8), to: "cover", row: "7")

    #expect(
      screen["log"]
        == "[\"tea.png image/png 8\","
        + "\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ann\",\"row 7 cup.txt\"]")
  }

  @Test func `hashes as the standard says`() throws {
    let screen = try TestScreen(visitor: Visitor(id: "ann")) { PhotosViewModel() }
    let long = Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
    try screen.upload("long.txt", long, to: "signed")
    #expect(
      screen["log"] == "[\"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1 ann\"]")
  }

  @Test func `is an outlet of a View`() throws {
    let screen = try TestScreen { PhotosView() }
    try screen.upload("tea.png", png, to: "photo")
    #expect(screen["shown"] == "tea.png" && screen["called"] == "image/png")
  }

  @Test func `is an action of an observable model`() async throws {
    let screen = try TestScreen { PhotosModel() }
    try screen.upload("tea.png", png, to: "photo")
    try screen.upload("cup.png", png, to: "slow")
    await screen.settle()
    #expect(screen["names"] == #"["tea.png","slow cup.png"]"#)
  }

  @Test func `keeps to its rules`() throws {
    let screen = try TestScreen { PhotosViewModel() }
    func problem(_ body: () throws -> Void) -> String {
      do {
        try body()
        return ""
      } catch { return "\(error)" }
    }
    #expect(
      problem { try screen.upload("x", png + [UInt8](repeating: 0, count: 13), to: "photo") }.contains(
        "1 to 20"))
    #expect(problem { try screen.upload("x", [], to: "photo") }.contains("this one has 0"))
    #expect(
      problem { try screen.upload("x.png", Array("text".utf8), to: "photo") }.contains(
        "this one is text/plain"))
    #expect(problem { try screen.upload("x", png, to: "signed") }.contains("You may not use"))
    #expect(problem { try screen.upload("x", png, to: "log") }.contains("takes no files"))
    #expect(problem { try screen.upload("x", Array("t".utf8), to: "cover", row: "8") }.contains("has gone"))
    // A text is no file, whoever sends it.
    #expect(problem { try screen.send("upload1", to: "photo") }.contains("takes a UploadedFile"))
    #expect(screen["log"] == "[]")
  }

  @Test func `needs a rule that says which files`() throws {
    func problem(_ make: @escaping () -> View) -> String {
      do {
        try TestScreen(make).upload("x", png, to: "photo")
        return ""
      } catch { return "\(error)" }
    }
    #expect(problem { UnlimitedView() }.contains("the input \"photo\" takes files of any size"))
    #expect(problem { MisruledView() }.contains("limits the files of \"name\", which takes none"))
    #expect(problem { MistypedView() }.contains("\"png\" is no type of files"))
  }

  @Test func `gives bytes that can be read, and taken`() throws {
    final class Keeper: View {
      let photo = FileField("photo")
      override class var rules: [InputRule<View>] { [.limit("photo", to: .bytes(20))] }
    }
    let path = FileManager.default.temporaryDirectory.appending(path: "file-\(UUID().uuidString)").path
    let view = Keeper.self
    var files: [UploadedFile] = []
    let screen = try TestScreen {
      let made = view.init()
      made.photo.onFile = { files.append($0) }
      return made
    }
    try screen.upload("tea.png", png, to: "photo")
    let file = try #require(files.first)
    #expect(try file.bytes() == png)
    try file.take(to: path)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
    #expect(try Data(contentsOf: URL(filePath: path)) == Data(png))
  }
}
