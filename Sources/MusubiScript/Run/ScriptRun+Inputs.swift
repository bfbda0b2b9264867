// SPDX-License-Identifier: Apache-2.0
import MusubiClient
import MusubiWire

extension ScriptRun {
  /// Begins a step that a person would do with keyboard or mouse.
  func startInput(_ action: Action) throws(StepFailure) -> Wait? {
    switch action {
    case .tap(let path):
      let input = try now.input(at: path)
      try client(path.client).connection.update { $0.tap(input.name, row: input.row) }
    case .set(let path, let expression):
      let input = try now.input(at: path)
      let value = try value(expression)
      try client(path.client).connection.update { $0.set(input.name, to: value, row: input.row) }
    case .upload(let path, let folder, let name): try upload(now.text(of: name), in: folder, to: path)
    case .drag(let path, let destination):
      let input = try now.input(at: path)
      let value = try now.move(to: destination)
      try client(path.client).connection.update { $0.set(input.name, to: value, row: input.row) }
    case .look(let path, let first, let count, let word):
      let list = try now.input(at: path)
      let window: Value = [
        "first": .integer(Int64(first)), "count": .integer(Int64(count)),
        "word": try word.map(value) ?? "",
      ]
      try client(path.client).connection.update { $0.set(list.name, to: window, row: list.row) }
    case .caret(let path, let place):
      let (client, field) = try field(path)
      client.focus = field
      select(place, of: field, in: client)
    case .type(let path, let expression):
      let characters = try value(expression).plainText.map { String($0) }
      return try keystrokes(path, count: characters.count) { client, field, index throws(ClientError) in
        try client.connection.update { session throws(ClientError) in
          try session.type(characters[index], into: field.name, row: field.row)
        }
      }
    case .erase(let path, let count):
      return try keystrokes(path, count: count) { client, field, _ throws(ClientError) in
        try client.connection.update { session throws(ClientError) in
          try session.deleteBackward(in: field.name, row: field.row)
        }
      }
    default: throw StepFailure("This is no input.")
    }
    return nil
  }

  /// Begins a step that closes a screen or a dialog; it is done when the server has closed it.
  func startClosing(_ action: Action, _ end: ContinuousClock.Instant) throws(StepFailure) -> Wait? {
    let client: ScriptClient
    let top: ClientScreen?
    switch action {
    case .back(let name):
      client = try self.client(name)
      top = client.connection.session.stack.last
      guard client.connection.update({ $0.goBack() }) else {
        throw StepFailure("\(name) shows its first screen without a dialog: there is nothing to go back to.")
      }
    case .answer(let name, let expression):
      client = try self.client(name)
      top = client.connection.session.stack.last
      let answer = try value(expression).plainText
      guard client.connection.update({ $0.answer(answer) }) else {
        throw StepFailure("\(name) has no dialog open.", details: client.report)
      }
    default: throw StepFailure("This closes nothing.")
    }
    return Wait(
      deadline: end, advance: { () throws(StepFailure) in client.connection.session.stack.last != top },
      timeout: { StepFailure("\(client.name) still shows it", details: client.report) })
  }

  private func value(_ expression: Expression) throws(StepFailure) -> Value {
    guard let value = now.value(of: expression) else {
      throw StepFailure(
        "There is no such value now.", details: expression.clients.flatMap { clients[$0]?.report ?? [] })
    }
    return value
  }

  private func field(_ path: Path) throws(StepFailure) -> (ScriptClient, ScriptField) {
    let client = try client(path.client)
    let (name, row) = try now.input(at: path)
    guard !row.isEmpty || path.segments.count == 1,
      client.connection.session.text(of: name, row: row) != nil
    else {
      throw StepFailure(
        "\(path) is no text field: the screen has no two-way text of this name.", details: client.report)
    }
    return (client, ScriptField(name: name, row: row))
  }

  private func select(_ place: CaretPlace, of field: ScriptField, in client: ScriptClient) {
    let text = client.connection.session.text(of: field.name, row: field.row) ?? ""
    let length = text.utf16.count
    let range =
      switch place {
      case .start: 0..<0
      case .end: length..<length
      case .all: 0..<length
      case .offset(let offset): text.prefix(offset).utf16.count..<text.prefix(offset).utf16.count
      }
    client.connection.update { $0.select(range, in: field.name, row: field.row) }
  }

  /// One keystroke for each turn of the loop, so that what others do comes in between.
  private func keystrokes(
    _ path: Path, count: Int,
    _ press: @escaping (ScriptClient, ScriptField, Int) throws(ClientError) -> Void
  ) throws(StepFailure) -> Wait? {
    let (client, field) = try field(path)
    if client.focus != field {
      client.focus = field
      select(.all, of: field, in: client)
    }
    guard count > 0 else { return nil }
    var index = 0
    return Wait(
      isBusy: true,
      advance: { () throws(StepFailure) in
        do throws(ClientError) {
          try press(client, field, index)
        } catch {
          throw StepFailure("\(client.name): \(error)", details: client.report)
        }
        index += 1
        return index == count
      }, timeout: { StepFailure("not typed to the end") })
  }
}

/// A text field of a screen, or of a row.
struct ScriptField: Equatable {
  let name: String
  /// The ids of the rows that it is in, outermost first.
  let row: [String]
}
