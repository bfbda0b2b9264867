// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiSession
import MusubiTesting
import MusubiWire
import Testing

private struct Question: DialogContent {
  let title: String
}

/// A list of one row that can be opened, and asks before it deletes.
private final class ListViewModel: InputOutputViewModel {
  struct Row: Encodable { let id: Int }

  struct Inputs: Decodable {
    let open: Signal<Int>
    let delete: Signal<Int>
    let confirmDelete: Signal<Void>
    let note: Signal<String>
    let size: Signal<Int>
  }

  struct Outputs: Encodable {
    let rows: Driver<[Row]>
    let detail: Signal<DetailViewModel>
    let askDelete: Signal<Question>
    let note: Driver<String>
    let size: Driver<Int>
  }

  private let rows = BehaviorRelay(value: [Row(id: 4)])
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.confirmDelete.emit(onNext: { [rows] in rows.accept([]) }).disposed(by: bag)
    return Outputs(
      rows: rows.asDriver(),
      detail: inputs.open.map { DetailViewModel(id: $0) },
      askDelete: inputs.delete.map { Question(title: "Delete \($0)?") },
      note: inputs.note.asDriver(onErrorJustReturn: ""), size: inputs.size.asDriver(onErrorJustReturn: 0))
  }
}

/// Counts taps on one thing.
private final class DetailViewModel: InputOutputViewModel {
  struct Inputs: Decodable { let tap: Signal<Void> }
  struct Outputs: Encodable { let count: Driver<Int> }

  let id: Int

  init(id: Int) { self.id = id }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(
      count: inputs.tap.asObservable().scan(0) { count, _ in count + 1 }.startWith(0)
        .asDriver(onErrorJustReturn: 0))
  }
}

@Suite struct `A stack of screens` {
  private let network: SimulatedNetwork
  private let page: RawPage
  private let session: String
  private let token: String
  private let start: [Value]

  init() {
    network = SimulatedNetwork(
      seed: 5,
      routes: [
        ScreenRoute(name: "list", scope: .session) { _ in InputOutputScreen(ListViewModel(), name: "list") },
        ScreenRoute(
          name: "detail", scope: .session, path: "/list/<id>", type: ObjectIdentifier(DetailViewModel.self),
          address: { "/list/\(($0 as? DetailViewModel)?.id ?? 0)" },
          make: { context in
            guard let id = context.parameters["id"].flatMap(Int.init), id == 4 else { throw ScreenNotFound() }
            return InputOutputScreen(DetailViewModel(id: id), name: "detail")
          }),
      ])
    page = RawPage(network, "list")
    network.run(until: .seconds(1))
    (session, token, start) = (page.session, page.token, page.position)
  }

  private func send(_ frames: String...) {
    page.clear()
    for frame in frames { page.send(frame) }
    network.run(until: network.now + .seconds(1))
  }

  @Test func `tells a page's author which questions it asks, and nobody else`() {
    #expect(page.last("hello") != nil && page.last("hello")?["dev"] == nil)
    var configuration = SessionConfiguration()
    configuration.announcesNames = true
    let list = ScreenRoute(name: "list", scope: .session) { _ in
      InputOutputScreen(ListViewModel(), name: "list")
    }
    let detail = ScreenRoute(
      name: "detail", scope: .session, path: "/list/<id>", type: ObjectIdentifier(DetailViewModel.self)
    ) { _ in InputOutputScreen(DetailViewModel(id: 4), name: "detail") }
    let development = SimulatedNetwork(seed: 5, configuration: configuration, routes: [list, detail])
    let authors = RawPage(development, "list")
    development.run(until: .seconds(1))

    let names = authors.last("hello")?["dev"]

    #expect(names?["events"] == ["detail", "askDelete"])
    #expect(names?["outputs"] == ["rows", "note", "size"])
  }

  @Test func `grows when a ViewModel emits another one`() {
    send(#"{"input":1,"name":"open","row":"4"}"#)

    #expect(
      page.last("screens") == [
        ["screen": 0, "name": "list", "path": "/list"], ["screen": 1, "name": "detail", "path": "/list/4"],
      ])
    #expect(page.values.first { $0["snapshot"] != nil }?["screen"] == 1)
    #expect(page.last("snapshot") == ["count": 0])
  }

  @Test func `sends each screen's turns under its number, and takes its inputs`() {
    send(#"{"input":1,"name":"open","row":"4"}"#)
    send(#"{"input":2,"screen":1,"name":"tap"}"#)

    #expect(page.values.first { $0["sequence"] == 1 && $0["patch"] != nil }?["screen"] == 1)
    #expect(page.last("ack") == 2)
  }

  @Test func `takes no tap for a screen that another one covers, however soon it came`() {
    send(#"{"input":1,"name":"open","row":"4"}"#, #"{"input":2,"name":"open","row":"4"}"#)
    #expect(page.last("screens")?.arrayValue?.count == 2)
    #expect(page.last("ack") == 2)
    #expect(page.last("error") == nil)

    send(#"{"input":3,"name":"confirmDelete"}"#, #"{"input":4,"name":"nothing"}"#, #"{"input":5,"back":1}"#)
    #expect(page.last("screens") == [["screen": 0, "name": "list", "path": "/list"]])
    #expect(page.last("ack") == 5)
    #expect(!page.values.contains { $0["sequence"] != nil && $0["screen"] == nil })
    send(#"{"input":6,"name":"confirmDelete"}"#)

    #expect(page.values.contains { $0["patch"]?[0]?["path"]?.stringValue?.hasPrefix("/rows") ?? false })
  }

  @Test func `takes values and edits for a screen that another one covers`() {
    send(
      #"{"input":1,"name":"open","row":"4"}"#, #"{"input":2,"name":"size","value":7}"#,
      #"{"input":3,"name":"note","revision":0,"edits":[[0,0,"typed"]]}"#)

    let patches = page.values.compactMap { $0["patch"]?.arrayValue }.flatMap { $0 }
    #expect(patches.contains { $0["path"] == "/size" && $0["value"] == 7 })
    #expect(patches.contains { $0["path"] == "/note" && $0["value"] == "typed" })
    #expect(page.last("ack") == 3)
  }

  @Test func `shrinks when the visitor goes back, and a second time is no error`() {
    send(#"{"input":1,"name":"open","row":"4"}"#)
    send(#"{"input":2,"back":1}"#, #"{"input":3,"back":1}"#, #"{"input":4,"screen":1,"name":"tap"}"#)

    #expect(page.last("screens") == [["screen": 0, "name": "list", "path": "/list"]])
    #expect(page.last("ack") == 4)
    #expect(page.last("error") == nil)
  }

  @Test func `comes back after a lost connection`() {
    send(#"{"input":1,"name":"open","row":"4"}"#, #"{"input":2,"screen":1,"name":"tap"}"#)
    let (session, token, position) = (session, token, start)
    page.link?.drop()
    network.run(until: network.now + .seconds(1))
    page.clear()

    page.resume(session: session, token: token, position: position)
    network.run(until: network.now + .seconds(1))

    #expect(page.last("resumed")?["ack"] == 2)
    #expect(page.last("screens")?.arrayValue?.count == 2)
    #expect(page.values.first { $0["snapshot"] != nil }?["screen"] == 1)
    #expect(page.last("snapshot") == ["count": 1])
  }

  @Test func `keeps an open dialog until it is answered`() {
    send(#"{"input":1,"name":"delete","row":"4"}"#)
    #expect(page.last("screens")?[0]?["dialog"] == ["name": "askDelete", "value": ["title": "Delete 4?"]])

    send(#"{"input":2,"name":"confirmDelete"}"#, #"{"input":3,"dismiss":"askDelete","screen":0}"#)

    #expect(page.last("screens") == [["screen": 0, "name": "list", "path": "/list"]])
    #expect(page.values.contains { $0["patch"]?[0]?["path"]?.stringValue?.hasPrefix("/rows") ?? false })
  }

  @Test func `opens a deep link directly, and says when there is nothing`() {
    let direct = RawPage(network, "detail", query: ["path": "/list/4"])
    let wrong = RawPage(network, "detail", query: ["path": "/list/9"])

    network.run(until: network.now + .seconds(1))

    #expect(direct.last("snapshot") == ["count": 0])
    #expect(wrong.last("error")?["code"] == "not-found")
    #expect(wrong.closeCode == 4504)
  }

  @Test func `refuses a row that has gone`() {
    send(#"{"input":1,"name":"open","row":"5"}"#)

    #expect(page.last("error")?["code"] == "unknown-row")
    #expect(page.last("screens") == nil)
  }

  @Test func `in a shared room moves only the page whose input caused it`() {
    let network = SimulatedNetwork(
      seed: 6,
      routes: [
        ScreenRoute(name: "list", scope: .room) { _ in InputOutputScreen(ListViewModel(), name: "list") },
        ScreenRoute(
          name: "detail", scope: .session, path: "/list/<id>", type: ObjectIdentifier(DetailViewModel.self)
        ) { _ in InputOutputScreen(DetailViewModel(id: 4), name: "detail") },
      ])
    let (ann, bob) = (RawPage(network, "list"), RawPage(network, "list"))
    network.run(until: .seconds(1))

    ann.send(#"{"input":1,"name":"delete","row":"4"}"#)
    ann.send(#"{"input":2,"name":"open","row":"4"}"#)
    network.run(until: .seconds(2))

    #expect(ann.last("screens")?.arrayValue?.count == 2)
    #expect(ann.last("screens")?[0]?["dialog"]?["name"] == "askDelete")
    #expect(bob.last("screens") == nil)

    ann.send(#"{"input":3,"back":1}"#)
    ann.send(#"{"input":4,"name":"confirmDelete"}"#)
    network.run(until: .seconds(3))

    #expect(bob.state["rows"] == [])
  }
}
