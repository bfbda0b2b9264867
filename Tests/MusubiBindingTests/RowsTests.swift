// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiClient
import MusubiRx
import MusubiWire
import Testing

/// How often rows were encoded.
private final class Encodings {
  var count = 0
}

/// A row that can be compared.
private struct Task: Identifiable, Equatable, Encodable {
  let id: Int
  var title: String
  var encodings: Encodings?

  private enum CodingKeys: CodingKey { case id, title }

  static func == (left: Task, right: Task) -> Bool { left.id == right.id && left.title == right.title }

  func encode(to encoder: any Encoder) throws {
    encodings?.count += 1
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(title, forKey: .title)
  }
}

/// A row that cannot be compared, with rows of its own.
private struct Folder: Identifiable, Encodable {
  let id: Int
  var title: String
  var tasks: [Task] = []
  var note: String?
  var size = 1.5
}

/// A row that is an object, and equal to itself whatever changes in it.
private final class Player: Identifiable, Equatable, Encodable {
  let id: Int
  var score: Int

  init(id: Int, score: Int) {
    self.id = id
    self.score = score
  }

  static func == (left: Player, right: Player) -> Bool { left.id == right.id && left.score == right.score }
}

/// A row of 27 bytes, which are compared 16 at a time.
private struct Place: Identifiable, Equatable, Encodable {
  var id = 0
  var height: Int64 = 0
  var depth: Int64 = 0
  var kind: Int16 = 0
  var isOpen = false
}

/// A screen with one list, and a page that shows what turns tell it.
private final class Shown<Row: Encodable & Identifiable> {
  let list: List<Row>
  let board: OutputBoard
  private(set) var page: Value = [:]

  init() {
    let builder = ScreenBuilder()
    list = builder.collect { List<Row>("rows") }
    board = builder.board
  }

  var rows: Value? { page["rows"] }

  /// Ends a turn.
  ///
  /// - Returns: What the page was told.
  @discardableResult
  func turn() throws -> [Operation] {
    var operations: [Operation] = []
    board.takeChanges { slot, value, change in
      let path = JSONPointer([slot.name])
      switch (change, value) {
      case (.whole(let previous?), _): operations += Diff.operations(from: previous, to: value, at: path)
      case (.elements(let change), .array(let elements)):
        let range = change.place..<change.place + change.count
        operations += Diff.operations(
          from: change.previous, to: elements[range], from: change.place, in: elements, at: path)
      default: operations.append(.add(path: path, value: value))
      }
    }
    try page.apply(operations)
    return operations
  }
}

@Suite struct `Rows` {
  private static func tasks(_ count: Int, _ encodings: Encodings? = nil) -> [Task] {
    (0..<count).map { Task(id: $0, title: "title \($0)", encodings: encodings) }
  }

  @Test func `that are equal are not encoded again`() throws {
    let shown = Shown<Task>()
    let encodings = Encodings()
    shown.list.items = Self.tasks(1_000, encodings)
    try shown.turn()
    #expect(encodings.count == 1_000)

    shown.list.items[17].title = "other"
    #expect(
      try shown.turn().map(\.description) == [#"{"op":"replace","path":"/rows/17/title","value":"other"}"#])
    #expect(encodings.count == 1_001)

    shown.list.items.remove(at: 500)
    shown.list.items.insert(shown.list.items[999 - 1], at: 0)
    shown.list.items.removeLast()
    #expect(
      try shown.turn().map(\.description) == [
        #"{"op":"remove","path":"/rows/500"}"#, #"{"op":"move","from":"/rows/998","path":"/rows/0"}"#,
      ])
    #expect(encodings.count == 1_002)
  }

  @Test(arguments: [0, 1, 8])
  func `are found to differ by any byte of theirs`(index: Int) throws {
    let members: [(String, (inout Place) -> Void)] = [
      ("height", { $0.height ^= 1 << 7 }), ("height", { $0.height ^= 1 << 63 }), ("depth", { $0.depth ^= 1 }),
      ("depth", { $0.depth ^= 1 << 56 }), ("kind", { $0.kind ^= 1 << 9 }), ("isOpen", { $0.isOpen.toggle() }),
    ]
    let shown = Shown<Place>()
    shown.list.items = (0..<9).map { Place(id: $0) }
    try shown.turn()

    for (member, change) in members {
      change(&shown.list.items[index])

      #expect(try shown.turn().map(\.path.description) == ["/rows/\(index)/\(member)"])
    }
  }

  @Test func `that change and change back within a turn tell nothing`() throws {
    let shown = Shown<Task>()
    let tasks = Self.tasks(9)
    shown.list.items = tasks
    try shown.turn()

    shown.list.items = []
    shown.list.items = tasks
    shown.list.apply(.remove(at: 3))
    shown.list.apply(.insert(tasks[3], at: 3))

    #expect(try shown.turn() == [])
  }

  @Test func `that are objects are looked at again each time`() throws {
    let shown = Shown<Player>()
    let players = [Player(id: 1, score: 0), Player(id: 2, score: 0)]
    shown.list.items = players
    try shown.turn()

    players[1].score = 5
    shown.list.items = players

    #expect(
      try shown.turn().map(\.description) == [#"{"op":"replace","path":"/rows/1/score","value":5}"#])
  }

  @Test func `that change while nobody looks are encoded when somebody does, and others are not`() throws {
    let shown = Shown<Task>()
    let encodings = Encodings()
    shown.list.items = Self.tasks(1_000, encodings)
    try shown.turn()

    shown.board.rest(keepingEvents: 0)
    for title in 1...20 {
      shown.list.apply(.update(Task(id: 5, title: "\(title)", encodings: encodings), at: 5))
    }
    shown.list.apply(.insert(Task(id: 1_000, title: "new", encodings: encodings), at: 3))
    shown.list.apply(.insert(Task(id: 1_001, title: "brief", encodings: encodings), at: 0))
    shown.list.apply(.remove(at: 0))
    shown.list.apply(.move(from: 1_000, to: 0))
    #expect(try shown.turn() == [])
    #expect(encodings.count == 1_000 && shown.list.items[7].title == "20")

    shown.board.wake()
    #expect(encodings.count == 1_002)
    #expect(
      try shown.turn().map(\.description) == [
        #"{"op":"move","from":"/rows/999","path":"/rows/0"}"#,
        #"{"op":"add","path":"/rows/4","value":{"id":1000,"title":"new"}}"#,
        #"{"op":"replace","path":"/rows/7/title","value":"20"}"#,
      ])
    #expect(shown.list.items.count == 1_001 && shown.list.items[7].title == "20")
  }

  @Test func `that refuse when somebody looks stay what they were, or are left out`() throws {
    struct Secret: Identifiable, Encodable {
      let id: Int
      let score: Int

      func encode(to encoder: any Encoder) throws {
        guard score > 0 else {
          throw EncodingError.invalidValue(score, .init(codingPath: [], debugDescription: "no"))
        }
        var container = encoder.singleValueContainer()
        try container.encode(["id": id, "score": score])
      }
    }
    let shown = Shown<Secret>()
    shown.list.items = [Secret(id: 1, score: 1), Secret(id: 2, score: 2), Secret(id: 3, score: 3)]
    try shown.turn()

    shown.board.rest(keepingEvents: 0)
    shown.list.apply(.update(Secret(id: 2, score: 0), at: 1))
    shown.list.apply(.insert(Secret(id: 4, score: 0), at: 0))
    shown.list.apply(.update(Secret(id: 3, score: 4), at: 3))
    shown.list.apply(.remove(at: 9))
    #expect(shown.board.takeProblems().map { $0.hasSuffix("there is no place 9 in its 4 rows") } == [true])
    shown.board.wake()
    try shown.turn()

    #expect(shown.rows == [["id": 1, "score": 1], ["id": 2, "score": 2], ["id": 3, "score": 4]])
    #expect(shown.list.items.map(\.score) == [1, 2, 4])
    #expect(shown.board.takeProblems().count == 2)
  }

  @Test(arguments: UInt64(1)...40) func `are shown whatever happens to them`(seed: UInt64) throws {
    try Self.play(seed, Shown<Task>()) { id, title in Task(id: id, title: title) }
    try Self.play(seed, Shown<Folder>()) { id, title in
      Folder(
        id: id / 3, title: title, tasks: id.isMultiple(of: 2) ? Self.tasks(id % 4) : [],
        note: id.isMultiple(of: 5) ? title : nil)
    }
    try Self.play(seed, Shown<Player>()) { id, title in Player(id: id, score: title.count) }
  }

  /// Changes a list at random, now as a whole and now one by one, several times a turn.
  private static func play<Row>(
    _ seed: UInt64, _ shown: Shown<Row>, make: (_ id: Int, _ title: String) -> Row
  ) throws {
    var random = RandomSource(seed: seed)
    var rows: [Row] = []
    for _ in 0..<60 {
      let rests = Bool.random(using: &random)
      if rests { shown.board.rest(keepingEvents: 0) }
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        if Bool.random(using: &random) {
          for _ in 0..<Int.random(in: 0...3, using: &random) {
            rows.apply(change(rows.count, &random, make))
          }
          shown.list.items = rows
        } else {
          let change = change(rows.count, &random, make)
          shown.list.apply(change)
          rows.apply(change)
        }
      }
      #expect(shown.list.items.count == rows.count)
      if rests { shown.board.wake() }
      try shown.turn()
      let plain = Shown<Row>()
      plain.list.items = rows
      try plain.turn()
      #expect(shown.rows ?? [] == plain.rows, "seed \(seed)")
      // They are counted as rows change, and here once more from the beginning.
      for slot in shown.board.slots {
        #expect(slot.heapBytes == slot.value?.heapBytes ?? 0, "seed \(seed)")
      }
    }
  }

  private static func change<Row>(
    _ count: Int, _ random: inout RandomSource, _ make: (_ id: Int, _ title: String) -> Row
  ) -> RowChange<Row> {
    func row() -> Row {
      let titles = ["a", "bb", "a title that has memory of its own"]
      return make(Int.random(in: 0..<60, using: &random), titles.randomElement(using: &random) ?? "")
    }
    switch count == 0 ? 0 : Int.random(in: 0..<9, using: &random) {
    case 0...2: return .insert(row(), at: Int.random(in: 0...count, using: &random))
    case 3...4: return .update(row(), at: Int.random(in: 0..<count, using: &random))
    case 5...6: return .remove(at: Int.random(in: 0..<count, using: &random))
    case 7:
      return .move(
        from: Int.random(in: 0..<count, using: &random), to: Int.random(in: 0..<count, using: &random))
    default: return .reset((0..<Int.random(in: 0..<12, using: &random)).map { _ in row() })
    }
  }
}

@Suite struct `Changes of rows` {
  private final class Tasks: InputOutputViewModel {
    struct Inputs: Decodable {}
    struct Outputs: Encodable { let tasks: Driver<RowChange<Task>> }

    let changes = PublishRelay<RowChange<Task>>()

    func bind(_ inputs: Inputs) -> Outputs {
      let all = (0..<5).map { Task(id: $0, title: "title \($0)") }
      return Outputs(tasks: changes.startWith(.reset(all)).asDriver(onErrorDriveWith: .empty()))
    }
  }

  @Test func `are a list for the page, and tell what does not fit`() throws {
    let viewModel = Tasks()
    let builder = ScreenBuilder()
    let screen = InputOutputScreen(viewModel, name: "tasks")
    try builder.collect { try screen.start() }
    defer { withExtendedLifetime(screen) {} }
    let slot = builder.board.slots[0]
    #expect(slot.value?.arrayValue?.count == 5)

    viewModel.changes.accept(.move(from: 0, to: 4))
    viewModel.changes.accept(.update(Task(id: 1, title: "other"), at: 0))
    #expect(slot.value?[0] == ["id": 1, "title": "other"])
    #expect(slot.value?[4]?["id"] == 0)

    viewModel.changes.accept(.remove(at: 5))
    #expect(slot.value?.arrayValue?.count == 5)
    #expect(
      builder.board.takeProblems() == [
        #"the output "tasks" keeps its old value: there is no place 5 in its 5 rows"#
      ])
  }
}
