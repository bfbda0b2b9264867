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

  let arrivals = FileArrivals()
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
    let arriving: Driver<[ArrivingFile]>
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

  private let arriving: Driver<[ArrivingFile]>

  init(_ context: ScreenContext) throws {
    names = BehaviorRelay(value: try context.restored() ?? [])
    arriving = context.arrivingFiles(for: "photo")
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
    return Outputs(names: names.asDriver(), arriving: arriving)
  }
}

extension ScreenRoute {
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

  @Test(arguments: [1, 3]) func `shows how far it has come, to all who are in the room`(_ loops: Int) {
    let network = network(loops: loops)
    let tea = FileArrivals.Place(screen: "book", room: "tea", input: "photo")
    files.arrivals.note(ArrivingFile(id: "1", name: "a.png", size: 8, received: 2), at: tea)
    let ann = RawPage(network, "book", query: ["room": "tea"], as: "ann")
    let bob = RawPage(network, "book", query: ["room": "tea"], as: "bob")
    let other = RawPage(network, "book", query: ["room": "rice"], as: "bob")
    Self.settle(network)
    let first: Value = ["id": "1", "name": "a.png", "size": 8, "received": 2, "fraction": 0.25]
    #expect(ann.state["arriving"] == [first])

    files.arrivals.note(ArrivingFile(id: "2", name: "b.png", size: 8, received: 0), at: tea)
    files.arrivals.note(ArrivingFile(id: "1", name: "a.png", size: 8, received: 8), at: tea)
    Self.settle(network)
    #expect(bob.state["arriving"]?[0]?["fraction"] == 1 && bob.state["arriving"]?[1]?["name"] == "b.png")
    #expect(other.state["arriving"] == [])

    // However often bytes arrive, it changes five times a second, and ends with what is true.
    let before = ann.values.count { $0["patch"] != nil }
    for received in 1...8 {
      files.arrivals.note(ArrivingFile(id: "2", name: "b.png", size: 8, received: received), at: tea)
      network.run(until: network.now + .milliseconds(25))
    }
    Self.settle(network)
    #expect((1...2).contains(ann.values.count { $0["patch"] != nil } - before))
    #expect(ann.state["arriving"]?[1]?["received"] == 8)

    files.arrivals.end("1", at: tea)
    files.arrivals.end("2", at: tea)
    Self.settle(network)
    #expect(ann.state["arriving"] == [] && bob.state["arriving"] == [])
  }

  @Test func `shows how far it has come to the session that sends it, and to no other of the same visitor`() {
    let network = network()
    let ann = RawPage(network, "own")
    let bob = RawPage(network, "own")
    Self.settle(network)
    let places = Set(
      files.places.map { FileArrivals.Place(screen: $0.screen, room: $0.room, input: "photo") })
    #expect(places.count == 2)
    guard let place = places.first else { return }
    files.arrivals.note(ArrivingFile(id: "1", name: "a.png", size: 8, received: 2), at: place)
    Self.settle(network)
    #expect([ann, bob].count { $0.state["arriving"] == [] } == 1)
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
