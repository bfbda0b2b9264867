// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import MusubiWire
import Synchronization
import Testing

@testable import MusubiSession

/// Files without a disk, which arrive when a test says so.
private final class FakeFiles: SentFiles {
  private struct Bytes: UploadedBytes {
    func bytes() -> [UInt8] { [] }
    func take(to destination: String, _ sha256: String) {}
  }

  private let noted = Mutex<[FileArrivals.Place]>([])
  /// The places of the addresses that were told.
  var places: [FileArrivals.Place] { noted.withLock { $0 } }
  private let state = Mutex((controls: [String: FileControl](), inputs: [String: String]()))

  func address(for control: FileControl, at place: FileArrivals.Place, _ limit: FileLimit) -> String {
    noted.withLock { $0.append(place) }
    return "/to/\(control.screen)/\(control.room ?? "-")/\(control.input)/\(control.visitor ?? "-")"
  }

  /// A file has arrived for a control.
  func arrive(_ upload: String, for control: FileControl) { state.withLock { $0.controls[upload] = control } }

  func file(_ upload: String, for control: FileControl, by input: String) throws(BindingError) -> UploadedFile
  {
    let isThere = state.withLock { state in
      guard state.controls[upload] == control, state.inputs[upload] ?? input == input else { return false }
      state.inputs[upload] = input
      return true
    }
    guard isThere else { throw .unknownUpload }
    return UploadedFile(Bytes(), name: upload, type: "image/png", size: 1, sha256: "", id: "id-\(upload)")
  }
}

/// A book of photos; who claims it first may add.
private final class BookViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var claim: Signal<Sent<Void>> = .never()
    var photo: Signal<UploadedFile> = .never()
    var other: Signal<UploadedFile> = .never()
  }

  struct Outputs: Encodable {
    let names: Driver<[String]>
    let photos, others: Driver<[ArrivingFile]>
  }

  static var rules: [InputRule<Inputs>] {
    [
      .limit(\.photo, to: .bytes(20), types: ["image/*"]), .limit(\.other, to: .megabytes(1)),
      .allow(\.photo, for: .role("owner")),
    ]
  }

  private let owner = BehaviorRelay<String?>(value: nil)
  private let names: BehaviorRelay<[String]>
  private let bag = DisposeBag()

  private let photos, others: Driver<[ArrivingFile]>

  init(_ context: ScreenContext) throws {
    names = BehaviorRelay(value: try context.restored() ?? [])
    photos = context.arrivingFiles(for: "photo")
    others = context.arrivingFiles(for: "other")
  }

  var state: [String] { names.value }

  func roles(of visitor: Visitor) -> Set<Role> {
    visitor.id != nil && visitor.id == owner.value ? ["owner"] : []
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.claim.emit(onNext: { [owner] in owner.accept(owner.value ?? $0.sender.id) }).disposed(by: bag)
    Signal.merge(inputs.photo, inputs.other).emit(onNext: { [names] in
      names.accept(names.value + [$0.name])
    }).disposed(by: bag)
    return Outputs(names: names.asDriver(), photos: photos, others: others)
  }
}

/// One of two parts of a screen.
private final class PartViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable { var cover: Signal<UploadedFile> = .never() }

  struct Outputs: Encodable { let arriving: Driver<[ArrivingFile]> }

  private let arriving: Driver<[ArrivingFile]>
  var state: Int { 0 }

  init(_ context: ScreenContext) { arriving = context.arrivingFiles(for: "cover") }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(arriving: arriving) }
}

private final class ShelfViewModel: InputOutputViewModel, Restorable {
  struct Inputs: Decodable {
    var left = PartViewModel.Inputs()
    var right = PartViewModel.Inputs()
  }

  struct Outputs: Encodable { let left, right: PartViewModel.Outputs }

  static var rules: [InputRule<Inputs>] {
    [.limit(\.left.cover, to: .bytes(20)), .limit(\.right.cover, to: .bytes(20))]
  }

  private let left, right: PartViewModel

  init(_ context: ScreenContext) {
    left = PartViewModel(context.component("left"))
    right = PartViewModel(context.component("right"))
  }

  var state: [String: Int] { ["left": left.state, "right": right.state] }

  func bind(_ inputs: Inputs) -> Outputs {
    Outputs(left: left.bind(inputs.left), right: right.bind(inputs.right))
  }
}

extension ScreenRoute {
  fileprivate static let shelf = ScreenRoute(name: "shelf", scope: .room) { context in
    InputOutputScreen(ShelfViewModel(context), name: "shelf")
  }
  fileprivate static let book = ScreenRoute(name: "book", scope: .room) { context in
    InputOutputScreen(try BookViewModel(context), name: "book")
  }
  fileprivate static let own = ScreenRoute(name: "own", scope: .session) { context in
    InputOutputScreen(try BookViewModel(context), name: "own")
  }
}

@Suite(.timeLimit(.minutes(5))) struct `A file for a control` {
  private let files = FakeFiles()

  private func network(loops: Int = 1, store: SimulatedStore? = nil) -> SimulatedNetwork {
    let door = Doorkeeper()
    return SimulatedNetwork(
      seed: 5, loops: loops, store: store, routes: [.book, .own], files: files,
      authorize: { try door.visitor(of: $0) })
  }

  private static func settle(_ network: SimulatedNetwork) {
    network.run(until: network.now + .milliseconds(500))
  }

  private static func control(_ input: String, of visitor: String?, room: String? = "lobby") -> FileControl {
    FileControl(screen: room == nil ? "own" : "book", room: room, input: input, visitor: visitor)
  }

  @Test(arguments: [1, 3]) func `goes to an address for the room, the control and the visitor`(_ loops: Int) {
    let network = network(loops: loops)
    let ann = RawPage(network, "book", query: ["room": "tea"], as: "ann")
    let nobody = RawPage(network, "own")
    Self.settle(network)

    let other: Value = ["to": "/to/book/tea/other/ann", "bytes": 1_048_576, "types": ["*/*"]]
    #expect(ann.last("uploads") == ["other": other])
    #expect(nobody.last("uploads")?["other"]?["to"] == "/to/own/-/other/-")
    // Who gets the right to send gets the address.
    ann.send(#"{"input":1,"name":"claim"}"#)
    Self.settle(network)
    let photo: Value = ["to": "/to/book/tea/photo/ann", "bytes": 20, "types": ["image/*"]]
    #expect(ann.last("uploads") == ["other": other, "photo": photo])
    #expect(ann.values.count { $0["uploads"] != nil } == 2, "It is told what is new, and no more.")
    ann.send(#"{"input":2,"name":"claim"}"#)
    Self.settle(network)
    #expect(ann.values.count { $0["uploads"] != nil } == 2)

    ann.link?.drop()
    Self.settle(network)
    ann.clear()
    ann.resume(["room": "tea"])
    Self.settle(network)
    #expect(ann.last("uploads") == nil || ann.last("uploads")?["photo"] == photo)
    #expect(ann.values.count { $0["uploads"] != nil } == 1, "A page that comes back is told again.")
  }

  @Test(arguments: [1, 3]) func `reaches the ViewModel once, by an input of its visitor`(_ loops: Int) {
    let network = network(loops: loops)
    let ann = RawPage(network, "book", as: "ann")
    let bob = RawPage(network, "book", as: "bob")
    Self.settle(network)
    files.arrive("a", for: Self.control("other", of: "ann"))
    files.arrive("b", for: Self.control("photo", of: "bob"))

    bob.send(#"{"input":1,"name":"other","value":"a"}"#)
    bob.send(#"{"input":2,"name":"photo","value":"b"}"#)
    ann.send(#"{"input":1,"name":"photo","value":"a"}"#)
    ann.send(#"{"input":2,"name":"other","value":{"id":"a"}}"#)
    Self.settle(network)
    #expect(ann.state["names"] == [])
    #expect(bob.values.compactMap { $0["error"]?["code"] } == ["unknown-upload", "not-allowed"])
    #expect(ann.values.compactMap { $0["error"]?["code"] } == ["not-allowed", "wrong-type"])

    ann.send(#"{"input":3,"name":"other","value":"a"}"#)
    ann.send(#"{"input":3,"name":"other","value":"a"}"#)
    ann.send(#"{"input":4,"name":"other","value":"a"}"#)
    Self.settle(network)
    #expect(ann.state["names"] == ["a"] && bob.state["names"] == ["a"])
    #expect(ann.last("error")?["code"] == "unknown-upload" && ann.last("error")?["input"] == 4)
  }

  private static let tea = FileArrivals.Room(screen: "book", name: "tea")
  private static func file(_ id: String, _ received: Int) -> ArrivingFile {
    ArrivingFile(id: id, name: "\(id).png", size: 8, received: received)
  }

  @Test(arguments: [1, 3]) func `shows how far it has come, to all who are in the room`(_ loops: Int) {
    let network = network(loops: loops)
    let arrivals = network.arrivals
    let place = FileArrivals.Place(Self.tea, input: "other")
    let ann = RawPage(network, "book", query: ["room": "tea"], as: "ann")
    let bob = RawPage(network, "book", query: ["room": "tea"], as: "bob")
    let other = RawPage(network, "book", query: ["room": "rice"], as: "bob")
    Self.settle(network)
    arrivals.note(Self.file("a", 2), from: "ann", at: place)
    Self.settle(network)
    let first: Value = ["id": "a", "name": "a.png", "size": 8, "received": 2, "fraction": 0.25]
    #expect(ann.state["others"] == [first])

    arrivals.note(Self.file("b", 1), from: "bob", at: place)
    arrivals.note(Self.file("a", 8), from: "ann", at: place)
    Self.settle(network)
    #expect(bob.state["others"]?[0]?["fraction"] == 1 && bob.state["others"]?[1]?["name"] == "b.png")
    #expect(other.state["others"] == [])

    // However often bytes arrive, it changes five times a second, and ends with what is true.
    let before = ann.values.count { $0["patch"] != nil }
    for received in 1...8 {
      arrivals.note(Self.file("b", received), from: "bob", at: place)
      network.run(until: network.now + .milliseconds(25))
    }
    Self.settle(network)
    #expect((1...2).contains(ann.values.count { $0["patch"] != nil } - before))
    #expect(ann.state["others"]?[1]?["received"] == 8)

    arrivals.end("b", at: place)
    Self.settle(network)
    #expect(ann.state["others"]?[1] == nil && bob.state["others"]?[0]?["id"] == "a")
  }

  @Test(arguments: [1, 3]) func `is shown of those alone who are there and may send it`(_ loops: Int) {
    let network = network(loops: loops)
    let ann = RawPage(network, "book", query: ["room": "tea"], as: "ann")
    let bob = RawPage(network, "book", query: ["room": "tea"], as: "bob")
    let (photo, any) = (
      FileArrivals.Place(Self.tea, input: "photo"), FileArrivals.Place(Self.tea, input: "other")
    )
    Self.settle(network)
    for (id, visitor) in [("a", "ann"), ("b", "bob"), ("n", nil)] {
      network.arrivals.note(Self.file(id, 2), from: visitor, at: photo)
      network.arrivals.note(Self.file(id, 2), from: visitor, at: any)
    }
    Self.settle(network)
    #expect(bob.state["photos"] == [], "Nobody has the right.")
    #expect(bob.state["others"]?[0]?["id"] == "a" && bob.state["others"]?[1]?["id"] == "b")
    #expect(bob.state["others"]?[2] == nil, "Nobody without a name is there.")
    ann.send(#"{"input":1,"name":"claim"}"#)
    Self.settle(network)
    for (id, visitor) in [("a", "ann"), ("b", "bob")] {
      network.arrivals.note(Self.file(id, 4), from: visitor, at: photo)
    }
    Self.settle(network)
    #expect(bob.state["photos"]?[0]?["id"] == "a" && bob.state["photos"]?[1] == nil)

    let relay = network.arrivals.follow(photo)
    #expect(relay.value?.map(\.id) == ["a"])
    ann.link?.leave()
    bob.link?.leave()
    network.run(until: network.now + .seconds(100_000))
    #expect(relay.value == [], "Their sessions have ended.")
  }

  @Test func `is listed with 7 others of its sender at most, and with 31 of all`() {
    let network = network()
    let place = FileArrivals.Place(Self.tea, input: "other")
    let ann = RawPage(network, "book", query: ["room": "tea"], as: "ann")
    let nobody = RawPage(network, "book", query: ["room": "tea"])
    Self.settle(network)
    func listed() -> [String] {
      nobody.state["others"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }
    for number in 0..<40 { network.arrivals.note(Self.file("a\(number)", 1), from: "ann", at: place) }
    Self.settle(network)
    #expect(listed() == (0..<8).map { "a\($0)" })
    for number in 0..<40 { network.arrivals.note(Self.file("n\(number)", 1), from: nil, at: place) }
    Self.settle(network)
    #expect(listed().count == 32)

    network.arrivals.end("a0", at: place)
    network.arrivals.note(Self.file("a39", 2), from: "ann", at: place)
    Self.settle(network)
    #expect(listed().last == "a39" && listed().count == 32)
    withExtendedLifetime(ann) {}
  }

  @Test func `shows how far it has come to the session that sends it, and to no other of its visitor`() throws
  {
    let network = network()
    let pages = [RawPage(network, "own", as: "ann"), RawPage(network, "own", as: "ann")]
    Self.settle(network)
    let places = Set(files.places.map { FileArrivals.Place($0.room, input: "other") })
    #expect(places.count == 2)
    let place = try #require(places.first)
    network.arrivals.note(Self.file("a", 2), from: "ann", at: place)
    Self.settle(network)
    #expect(pages.count { $0.state["others"] == [] } == 1)
  }

  @Test func `is asked for in a component by the name that the component knows`() throws {
    let network = SimulatedNetwork(seed: 5, routes: [.shelf], files: files)
    let page = RawPage(network, "shelf", query: ["room": "tea"])
    Self.settle(network)
    let room = FileArrivals.Room(screen: "shelf", name: "tea")
    network.arrivals.note(Self.file("a", 2), from: nil, at: FileArrivals.Place(room, input: "leftCover"))
    Self.settle(network)
    #expect(page.state["leftArriving"]?[0]?["id"] == "a" && page.state["rightArriving"] == [])
  }

  @Test func `is asked for by the name of a control`() {
    let route = ScreenRoute(name: "book", scope: .session) { context in
      _ = context.arrivingFiles(for: "foto")
      return InputOutputScreen(try BookViewModel(context), name: "book")
    }
    let context = ScreenContext(
      screen: "book", clock: TestScheduler(initialClock: 0), random: RandomSource(seed: 0))
    #expect {
      try ScreenInstance(route, context: context)
    } throws: {
      "\($0)".contains(#"arrivingFiles(for: "foto") is asked for, and no input of that name takes files"#)
    }
  }

  @Test func `comes again with its input after a kill`() {
    let store = SimulatedStore()
    let network = network(store: store)
    let ann = RawPage(network, "own", as: "ann")
    Self.settle(network)
    files.arrive("a", for: Self.control("other", of: "ann", room: nil))
    // The server is killed when the ViewModel has had the file, and before that is stored.
    store.delay = .seconds(60)
    store.keepsInterrupted = false
    ann.send(#"{"input":1,"name":"other","value":"a"}"#)
    Self.settle(network)
    #expect(ann.last("ack") == nil)
    network.restartServer()
    store.delay = .milliseconds(1)
    ann.resume()
    Self.settle(network)
    ann.send(#"{"input":1,"name":"other","value":"a"}"#)
    Self.settle(network)
    #expect(ann.last("resumed")?["ack"] == 0, "The server has forgotten the input.")
    #expect(ann.state["names"] == ["a"] && ann.last("error") == nil)
  }
}
