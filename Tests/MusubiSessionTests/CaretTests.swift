// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// Two texts, and rows with a text each.
private final class DeskViewModel: InputOutputViewModel {
  struct Card: Codable, Identifiable, Equatable {
    let id: Int
    var title: String
  }

  struct Inputs: Decodable {
    var text: Signal<String> = .never()
    var other: Signal<String> = .never()
    var title: Signal<RowText<Int>> = .never()
    var clear: Signal<Void> = .never()
    var open: Signal<Void> = .never()
  }

  struct Outputs: Encodable {
    let text: Driver<String>
    let other: Driver<String>
    let cards: Driver<[Card]>
    let detail: Signal<DetailViewModel>
  }

  private let cards = BehaviorRelay(value: [Card(id: 7, title: "seven")])
  private let bag = DisposeBag()

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.title.emit(onNext: { [cards] in cards.accept([Card(id: $0.id, title: $0.text)]) }).disposed(
      by: bag)
    inputs.clear.emit(onNext: { [cards] in cards.accept([]) }).disposed(by: bag)
    return Outputs(
      text: inputs.text.asDriver(onErrorJustReturn: ""), other: inputs.other.asDriver(onErrorJustReturn: ""),
      cards: cards.asDriver(), detail: inputs.open.map { DetailViewModel() })
  }
}

/// A further screen.
private final class DetailViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let title: Driver<String> }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(title: .just("detail")) }
}

@Suite struct `Carets in two-way texts` {
  private let network: SimulatedNetwork
  private let (ann, bob): (RawPage, RawPage)

  init() {
    network = SimulatedNetwork(
      seed: 5,
      routes: [
        ScreenRoute(name: "desk", scope: .room) { _ in InputOutputScreen(DeskViewModel(), name: "desk") },
        ScreenRoute(
          name: "detail", scope: .session, path: "/detail", type: ObjectIdentifier(DetailViewModel.self)
        ) { _ in InputOutputScreen(DetailViewModel(), name: "detail") },
      ],
      authorize: { Visitor(id: $0.headers["cookie"], displayName: $0.headers["cookie"]) })
    (ann, bob) = (
      RawPage(network, "desk", query: ["edits": "1"], as: "ann"),
      RawPage(network, "desk", query: ["edits": "1"], as: "bob")
    )
    settle()
  }

  private func settle(_ time: Duration = .milliseconds(400)) { network.run(until: network.now + time) }

  /// Each page sends frames, and all arrive.
  private func send(_ frames: (RawPage, String)...) {
    for (page, frame) in frames { page.send(frame) }
    settle()
  }

  /// What a page was told last.
  private func told(_ page: RawPage) -> String { page.last("carets")?.description ?? "nothing" }

  @Test func `the greeting says how often they may be told`() {
    #expect(ann.last("hello")?["limits"]?["carets"] == 20)
  }

  @Test func `a page that shows them is told the others' and not its own`() {
    send((ann, #"{"caret":"text"}"#))
    #expect(told(ann) == "nothing")
    send((bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))

    #expect(told(ann) == #"{"text":{"revision":0,"all":[[2,"bob",0,0]]}}"#)
    #expect(told(bob) == "nothing")
    let count = ann.frames.count
    send((ann, #"{"caret":"other","revision":0,"at":[0,0]}"#))
    #expect(told(bob) == #"{"other":{"revision":0,"all":[[1,"ann",0,0]]}}"#)
    #expect(ann.frames.count == count, "It knows where it is.")
  }

  @Test func `a page that shows none is told nothing`() {
    send((bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    #expect(told(ann) == "nothing")
  }

  @Test func `a selection is carried past what its page has not seen, and past what comes later`() {
    send(
      (ann, #"{"input":1,"name":"text","revision":0,"edits":[[0,0,"middle"]]}"#), (ann, #"{"caret":"text"}"#))
    // Bob's selection of "idd" and Ann's insertions in front of it and behind it meet on the way.
    send(
      (ann, #"{"input":2,"name":"text","revision":1,"edits":[[0,0,"in the "]]}"#),
      (bob, #"{"input":1,"name":"text","revision":1,"edits":[[6,0,"!"]]}"#),
      (bob, #"{"caret":"text","revision":1,"at":[1,4]}"#))
    #expect(told(ann) == #"{"text":{"revision":3,"all":[[2,"bob",8,11]]}}"#)

    // Text at the end of a selection does not make it longer.
    send((ann, #"{"input":3,"name":"text","revision":3,"edits":[[11,0,"..."],[14,0,"?"]]}"#))
    send(
      (ann, #"{"caret":"other","revision":0,"at":[0,0]}"#),
      (bob, #"{"caret":"text","revision":4,"at":[8,11]}"#))
    #expect(told(ann) == #"{"text":{"revision":4,"all":[[2,"bob",8,11]]}}"#)
  }

  @Test func `what is told follows the turn whose revision it has`() throws {
    send((ann, #"{"caret":"text"}"#))
    ann.mark()
    send(
      (bob, #"{"input":1,"name":"text","revision":0,"edits":[[0,0,"abc"]]}"#),
      (bob, #"{"caret":"text","revision":0,"at":[3,3]}"#))

    let frames = ann.new
    let turn = try #require(frames.firstIndex { $0["edits"]?["text"]?["revision"] == 1 })
    let caret = try #require(frames.firstIndex { $0["carets"]?["text"]?["revision"] == 1 })
    #expect(turn < caret)
  }

  @Test func `who leaves the text, or the page, is in it no longer`() {
    let at = #"{"caret":"text","revision":0,"at":[0,0]}"#
    send((ann, #"{"caret":"text"}"#), (bob, at))
    send((bob, #"{"caret":"text"}"#))
    #expect(told(ann) == "{}")

    send((bob, at))
    #expect(told(ann) != "{}")
    bob.link?.leave()
    settle()
    #expect(told(ann) == "{}")
  }

  @Test func `who opens another screen on top is in the text no longer, as soon as the server knows`() {
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    #expect(told(ann) == #"{"text":{"revision":0,"all":[[2,"bob",0,0]]}}"#)

    send((bob, #"{"input":1,"name":"open"}"#))
    #expect(bob.last("screens") != nil)
    #expect(told(ann) == "{}")
  }

  @Test func `a page that comes back is told again once it has said that it shows them`() {
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    ann.link?.leave()
    settle()
    ann.resume(["edits": "1"])
    settle()
    ann.mark()
    send((bob, #"{"caret":"other","revision":0,"at":[0,0]}"#))
    #expect(ann.new.allSatisfy { $0["carets"] == nil })

    send((ann, #"{"caret":"text"}"#))
    #expect(told(ann) == #"{"other":{"revision":0,"all":[[2,"bob",0,0]]}}"#, "Nobody has moved since.")
  }

  @Test func `who types alone is seen by whoever comes later`() {
    ann.link?.leave()
    bob.link?.leave()
    settle(.seconds(120))
    let eve = RawPage(network, "desk", query: ["edits": "1"], as: "eve")
    settle()
    send((eve, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    for number in 0..<40 {
      let edit = #""revision":\#(number),"edits":[[\#(number),0,"x"]]"#
      send((eve, #"{"input":\#(number + 1),"name":"text",\#(edit)}"#))
    }
    let late = RawPage(network, "desk", query: ["edits": "1"], as: "late")
    settle()
    send((late, #"{"caret":"text"}"#))

    let told = late.last("carets")?["text"]
    #expect(told?["revision"] == 40)
    #expect(told?["all"]?.arrayValue?.first?.arrayValue?[1...] == ["eve", 40, 40])
  }

  @Test func `a busy text forgets its past, and not who reads in it`() {
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    for number in 0..<2_200 {
      ann.send(#"{"input":\#(number + 1),"name":"text","revision":\#(number),"edits":[[\#(number),0,"x"]]}"#)
      network.run(until: network.now + .milliseconds(25))
    }
    settle()
    send((ann, #"{"caret":"other","revision":0,"at":[0,0]}"#), (ann, #"{"caret":"text"}"#))
    let eve = RawPage(network, "desk", query: ["edits": "1"], as: "eve")
    settle()
    send((eve, #"{"caret":"text"}"#))

    #expect(eve.last("carets")?["text"]?["revision"] == 2_200)
    #expect(eve.last("carets")?["text"]?["all"]?.arrayValue?.count == 1)
  }

  @Test func `a row's text that rests has them still`() {
    send((bob, #"{"input":1,"name":"title","row":"7","sequence":0,"edits":[[5,0,"!"]]}"#))
    let revision =
      bob.values.compactMap { $0["edits"]?["/cards/7/title"]?["revision"] }.last?.description ?? ""
    send((bob, #"{"caret":"/cards/7/title","revision":\#(revision),"at":[6,6]}"#))
    send((ann, #"{"input":1,"name":"title","row":"7","revision":\#(revision),"edits":[[0,0,"a"]]}"#))
    settle(.seconds(200))
    send((ann, #"{"caret":"text"}"#))

    let told = ann.last("carets")?["/cards/7/title"]
    #expect(told?["all"] == [[2, "bob", 7, 7]], "\(ann.last("carets") ?? .null)")
  }

  @Test func `a page whose former connection is gone without a word is told again`() {
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    send((ann, #"{"caret":"text","revision":0,"at":[0,0]}"#))
    #expect(told(bob) == #"{"text":{"revision":0,"all":[[1,"ann",0,0]]}}"#)
    // The server takes the old connection for one that is up.
    let old = ann.link
    ann.resume(["edits": "1"])
    settle()
    ann.mark()
    #expect(told(bob) == "{}", "Where Ann is now nobody knows.")
    send((ann, #"{"caret":"text"}"#))

    #expect(ann.new.last { $0["carets"] != nil }?["carets"]?["text"]?["all"] == [[2, "bob", 0, 0]])
    withExtendedLifetime(old) {}
  }

  @Test func `they are told at most 20 times a second, the newest at last`() {
    send(
      (ann, #"{"caret":"text"}"#),
      (bob, #"{"input":1,"name":"text","revision":0,"edits":[[0,0,"0123456789"]]}"#))
    ann.mark()
    for step in 0..<100 {
      bob.send(#"{"caret":"text","revision":1,"at":[\#(step % 10),\#(step % 10)]}"#)
      network.run(until: network.now + .milliseconds(10))
    }
    settle()

    let count = ann.new.count { $0["carets"] != nil }
    #expect(count > 5 && count <= 23, "\(count)")
    #expect(told(ann) == #"{"text":{"revision":1,"all":[[2,"bob",9,9]]}}"#)
  }

  @Test func `a row's text has them under its key until the row goes`() {
    send((bob, #"{"input":1,"name":"title","row":"7","sequence":0,"edits":[[5,0,"!"]]}"#))
    let revision =
      bob.values.compactMap { $0["edits"]?["/cards/7/title"]?["revision"] }.last?.description ?? ""
    send(
      (ann, #"{"caret":"text"}"#), (bob, #"{"caret":"/cards/7/title","revision":\#(revision),"at":[6,6]}"#))
    #expect(told(ann) == #"{"/cards/7/title":{"revision":\#(revision),"all":[[2,"bob",6,6]]}}"#)

    send(
      (ann, #"{"input":1,"name":"clear"}"#),
      (bob, #"{"caret":"/cards/7/title","revision":\#(revision),"at":[2,2]}"#))
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"other","revision":0,"at":[0,0]}"#))
    #expect(told(ann) == #"{"other":{"revision":0,"all":[[2,"bob",0,0]]}}"#)
    #expect(bob.isUp)
  }

  @Test(arguments: [
    #"{"caret":"nothing"}"#, #"{"caret":"text","at":[0,0]}"#, #"{"caret":"text","revision":0}"#,
    #"{"caret":"text","revision":0,"at":[2,1]}"#, #"{"caret":"text","revision":0,"at":[-1,0]}"#,
    #"{"caret":"text","revision":0,"at":[1]}"#, #"{"caret":7}"#, #"{"caret":"text","name":"text"}"#,
    #"{"caret":"text","screen":4}"#, #"{"caret":"text","input":1}"#,
  ])
  func `a frame that is none ends the connection with a reason`(frame: String) {
    send((ann, frame))
    #expect(ann.closeCode == CloseCode.protocolMismatch.rawValue, "\(ann.closeCode ?? 0)")
    #expect(ann.last("error")?["message"]?.stringValue?.isEmpty == false)
  }

  @Test func `a revision that is too old, or does not exist, says nothing`() {
    send((ann, #"{"caret":"text"}"#), (bob, #"{"caret":"text","revision":9,"at":[0,0]}"#))
    #expect(told(ann) == "nothing" && bob.isUp)
  }

  @Test func `a client without edits has none`() {
    let page = RawPage(network, "desk", as: "eve")
    settle()
    send((page, #"{"caret":"text"}"#))
    #expect(!page.isUp)
  }

  @Test func `at most 32 are told, of those who moved last, with names of at most 40 characters`() {
    send((ann, #"{"caret":"text"}"#))
    let pages = (0..<40).map { index in
      RawPage(network, "desk", query: ["edits": "1"], as: "\(index)" + String(repeating: "x", count: 50))
    }
    settle(.seconds(2))
    for page in pages { page.send(#"{"caret":"text","revision":0,"at":[0,0]}"#) }
    settle(.seconds(2))

    let all = ann.last("carets")?["text"]?["all"]?.arrayValue ?? []
    #expect(all.count == 32)
    #expect(all.allSatisfy { $0.arrayValue?[1].stringValue?.count == 40 })
    withExtendedLifetime(pages) {}
  }
}
