// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiTesting
import MusubiWire
import Testing

@testable import MusubiSession

/// A state with numbers that JSON and the wire do not have.
final class NumbersView: View, Restorable {
  struct State: Codable, Equatable {
    var double = 0.5
    var float: Float = 0.5
    var list: [Double] = []
    var byName: [String: Double?] = [:]
    var large: UInt64 = 1
    var either: [Either] = []
  }

  /// An author's type that tries numbers before texts.
  enum Either: Codable, Equatable {
    case number(Double), integer(Int), text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let integer = try? container.decode(Int.self) {
        self = .integer(integer)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .integer(let integer): try container.encode(integer)
      case .text(let text): try container.encode(text)
      }
    }
  }

  private(set) var state: State
  private let label = Label("label")
  private let button = Button("grow")

  init(_ context: ScreenContext) throws { state = try context.restored() ?? State() }

  override func viewDidLoad() {
    show()
    button.onTap = { [unowned self] in
      state = Self.grown
      show()
    }
  }

  private func show() { label.text = state == Self.grown ? "grown" : "\(state)" }

  static let grown = State(
    double: -.infinity, float: .infinity, list: [.infinity, 1, -.infinity],
    byName: ["one": .infinity, "none": nil], large: .max,
    either: [.text("nan"), .text("7"), .number(.infinity), .integer(7), .text("")])
}

@Suite struct `Numbers that JSON does not have` {
  /// The store writes JSON, as those of files and databases do.
  private func json(_ changes: StoreChanges) -> StoreChanges {
    func read(_ value: Value) -> Value {
      do { return try Value(json: value.description) } catch { return .null }
    }
    var changes = changes
    changes.rooms = changes.rooms.map { room in
      var stored = StoredRoom(
        key: room.key, path: room.path, query: room.query, visitor: room.visitor, position: room.position,
        outputs: room.outputs, state: read(room.state), texts: room.texts, events: room.events,
        nextMember: room.nextMember, left: room.left, nextRowRevision: room.nextRowRevision,
        lineage: room.lineage, taken: room.taken)
      stored.label = room.label
      return stored
    }
    changes.roomSteps = changes.roomSteps.map { step in
      let state = step.state.map { StateChange(path: $0.path, value: $0.value.map(read), edit: $0.edit) }
      return StoredRoomStep(
        room: step.room, slot: step.slot, number: step.number, sequence: step.sequence, outputs: step.outputs,
        state: state, texts: step.texts, events: step.events, nextMember: step.nextMember, left: step.left,
        taken: step.taken)
    }
    return changes
  }

  @Test func `come back after a restart as they were`() {
    let store = SimulatedStore()
    store.falsify = { json($0) }
    let network = SimulatedNetwork(
      seed: 3, store: store,
      routes: [ScreenRoute(name: "numbers", scope: .session) { try NumbersView($0) }])
    let page = RawPage(network, "numbers")
    network.run(until: .seconds(1))
    page.send(#"{"input":1,"name":"grow"}"#)
    network.run(until: .seconds(2))
    #expect(page.last("ack") == 1)

    network.restartServer()
    page.resume()
    network.run(until: .seconds(4))

    #expect(network.failures == [])
    #expect(page.last("resumed")?["ack"] == 1)
    #expect(page.state["label"] == "grown")
  }
}
