// SPDX-License-Identifier: Apache-2.0
import MusubiServer
import MusubiSession
import MusubiText
import MusubiWire

/// What the inspector shows of the rooms, and of the one that somebody has chosen.
struct InspectorPage {
  /// What somebody has chosen.
  struct Choice: Equatable {
    var room: Int?
    var search = ""
    /// The number of the line up to which the room is shown; nil for the newest.
    var line: Int?
    /// The line over which somebody wants to open the room.
    var slow = LineConditions()
  }

  /// So many of each kind are shown.
  private static let (maxRooms, maxLines, maxNodes, maxElements, maxText) = (50, 60, 400, 50, 400)

  let rooms: [InspectorRows.Room]
  private(set) var chosen = InspectorRows.Chosen()
  private(set) var tree: [InspectorRows.Node] = []
  private(set) var lines: [InspectorRows.Line] = []
  private(set) var slider = InspectorRows.Slider()
  /// The path of the chosen room's page, and the number of its outputs; nil if the page cannot be shown.
  private(set) var page: (path: String, outputs: Int)?
  /// The place of the slider.
  private(set) var turn = 0
  private let language: StatusLanguage
  private var guests: [Int: String] = [:]
  private var flash = ""

  /// The page as it is now.
  init(_ all: InspectedRooms, _ choice: Choice, _ language: StatusLanguage) {
    self.language = language
    let wanted = choice.search.lowercased()
    rooms = all.all.lazy
      .filter { wanted.isEmpty || "\($0.screen)/\($0.name)".lowercased().contains(wanted) }
      .prefix(Self.maxRooms).map { room in
        InspectorRows.Room(
          id: "\(room.id)", screen: room.screen,
          name: room.name.isEmpty ? language.text("(a session's own)", "（セッション専用）") : room.name,
          pages: room.hasEnded ? language.text("ended", "終了") : language.count(room.pages.count),
          isChosen: room.id == choice.room, address: "/inspector?at=\(room.id)")
      }
    guard let id = choice.room else { return }
    guard let room = all.room(id) else {
      chosen.title = language.text("This room is no longer kept.", "この部屋の記録はもうありません。")
      return
    }
    show(room, after: choice.line, in: all.pages.path(of: room))
  }

  private mutating func show(_ room: InspectedRoom, after line: Int?, in path: String?) {
    guests = room.guests
    chosen.title = room.name.isEmpty ? room.screen : "\(room.screen) / \(room.name)"
    chosen.people =
      room.pages.isEmpty
      ? language.text("Nobody shows it.", "表示中のページはありません。")
      : room.pages.sorted().map(who).joined(separator: language.text(", ", "、"))
    let turns = room.lines.filter(\.isTurn)
    turn = turns.count { $0.number <= line ?? .max }
    flash = turn.isMultiple(of: 2) ? "even" : "odd"
    slider.max = turns.count
    let shown = turn > 0 ? turns[turn - 1].record : nil
    slider.label =
      shown.map { record in
        let number = language.count(record.turn?["sequence"]?.intValue ?? 0)
        return language.text("Turn \(number), at \(time(record))", "ターン\(number)（\(time(record))）")
      } ?? language.text("Before the first turn that is kept", "残っている最初のターンの前")
    let state = room.state(after: line)
    page = path.map { ($0, room.state(after: nil).outputs.objectValue?.count ?? 0) }
    if let problem = state.problem {
      chosen.note =
        language.text(
          "Something is missing, because a rule leaves it out: ", "ルールで除外された値のため、一部は表示できません: ") + problem
    }
    addNodes(of: state)
    lines = room.lines.reversed().lazy.filter { $0.number <= line ?? .max }.compactMap(row).prefix(
      Self.maxLines
    ).map { $0 }
  }

  /// `12.207 s`.
  private func time(_ record: RecordLine) -> String {
    let milliseconds = Int(record.at / 1_000_000)
    let rest = String(milliseconds % 1_000 + 1_000).dropFirst()
    return "\(language.count(milliseconds / 1_000)).\(rest) \(language.text("s", "秒"))"
  }

  /// `Page 2, Ann`.
  private func who(_ page: Int) -> String {
    let name = guests[page] ?? ""
    return language.text("Page \(page)", "ページ\(page)") + (name.isEmpty ? "" : " (\(name))")
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count > maxText ? "\(text.prefix(maxText / 2))…" : text
  }
}

// MARK: - The tree

extension InspectorPage {
  private mutating func addNodes(of state: ShownState) {
    for member in state.outputs.objectValue ?? Value.Object() {
      // Of a two-way text the output follows what its field holds.
      let value = state.fields[member.key].map(Value.string) ?? member.value
      add(value, at: [member.key], name: member.key, depth: 0, changes: state.changes)
    }
    for (key, text) in state.fields.sorted(by: { $0.key < $1.key }) where key.hasPrefix("/") {
      tree.append(
        InspectorRows.Node(
          id: "field \(key)", name: language.text("field of \(key)", "\(key)のフィールド"),
          value: Self.cut("\(Value.string(text))"), indent: "",
          flash: state.changes.contains([key]) ? flash : ""))
    }
  }

  private mutating func add(_ value: Value, at way: [String], name: String, depth: Int, changes: [[String]]) {
    guard tree.count < Self.maxNodes else { return }
    let indent = String(repeating: "\u{2003}", count: depth)
    let isDeep = depth < 6 && !value.isPlain
    let isChanged = changes.contains { way.starts(with: $0) || !isDeep && $0.starts(with: way) }
    tree.append(
      InspectorRows.Node(
        id: way.joined(separator: "/"), name: name, value: isDeep ? "" : Self.cut("\(value)"), indent: indent,
        flash: isChanged ? flash : ""))
    guard isDeep else { return }
    for member in value.objectValue ?? Value.Object() {
      add(member.value, at: way + [member.key], name: member.key, depth: depth + 1, changes: changes)
    }
    let elements = value.arrayValue ?? []
    for (index, element) in elements.prefix(Self.maxElements).enumerated() {
      let id = element["id"].map { "[id=\($0.stringValue ?? $0.description)]" }
      add(element, at: way + ["\(index)"], name: id ?? "[\(index)]", depth: depth + 1, changes: changes)
    }
    guard elements.count > Self.maxElements else { return }
    let rest = language.count(elements.count - Self.maxElements)
    tree.append(
      InspectorRows.Node(
        id: way.joined(separator: "/") + "/…", name: "…", value: language.text("\(rest) more", "ほか\(rest)件"),
        indent: indent + "\u{2003}",
        flash: ""))
  }
}

extension Value {
  /// Whether it has no parts.
  fileprivate var isPlain: Bool { (arrayValue?.isEmpty ?? true) && (objectValue?.isEmpty ?? true) }
}

// MARK: - What has happened

extension InspectorPage {
  private func row(of line: InspectedRoom.Line) -> InspectorRows.Line? {
    let record = line.record
    let (who, what, detail): (String, String, String)
    if let event = record.event {
      (who, what, detail) = words(of: event)
    } else if let name = record.leftOut {
      (who, what, detail) = ("", language.text("\(name), left out by a rule", "\(name)（ルールで除外）"), "")
    } else if let name = record.name {
      let value = record.value.map { Self.cut("\($0)") } ?? ""
      (who, what, detail) = (language.text("From elsewhere", "外部から"), name, value)
    } else if line.isTurn, let turn = record.turn {
      let number = language.count(turn["sequence"]?.intValue ?? 0)
      let name = language.text("Turn \(number)", "ターン\(number)")
      (who, what, detail) = (language.text("To all pages", "全ページへ"), name, Self.cut("\(turn)"))
    } else {
      return nil
    }
    return InspectorRows.Line(
      id: line.number, time: time(record), who: who, what: what, detail: detail, isTurn: line.isTurn)
  }

  /// Who has done what, and with which value.
  private func words(of event: RoomEvent) -> (who: String, what: String, detail: String) {
    switch event {
    case .join(let page): (who(page), language.text("begins to show the screen", "画面の表示を開始"), "")
    case .leave(let page): (who(page), language.text("leaves", "離脱"), "")
    case .connection(let page, true): (who(page), language.text("is connected", "接続"), "")
    case .connection(let page, false): (who(page), language.text("is not connected", "切断"), "")
    case .cover(let page, _): (who(page), language.text("changes its stack", "画面の重なりが変化"), "")
    case .input(let page, _, let name, let row, let value):
      (who(page), ([name] + row).joined(separator: " / "), value.map { Self.cut("\($0)") } ?? "")
    case .edit(let page, _, let name, _, let edit):
      (who(page), language.text("types into \(name)", "\(name)に入力"), Self.json(edit))
    case .rowEdit(let page, _, let name, let row, _, let edit):
      (
        who(page),
        language.text("types into \(name)", "\(name)に入力") + " / " + row.joined(separator: " / "),
        Self.json(edit)
      )
    case .beginEditing(let page, let name, let row):
      (
        who(page),
        language.text("begins to type into \(name)", "\(name)への入力を開始") + " / "
          + row.joined(separator: " / "), ""
      )
    case .refuse(let event): words(of: event)
    case .handOver(let page, _, _, _): (who(page), language.text("hands its values over", "値を引き継ぎ"), "")
    case .timer(let number): (language.text("Timer", "タイマー"), "\(number)", "")
    case .command(let command):
      (language.text("Shared model", "共有モデル"), Self.cut("\(command)"), "")
    case .suspend, .resume: ("", language.text("rests, or goes on", "休止または再開"), "")
    case .outside: (language.text("From elsewhere", "外部から"), "", "")
    }
  }

  private static func json(_ edit: TextEdit) -> String {
    cut(String(writing: { $0.appendJSON(edit) }))
  }
}
