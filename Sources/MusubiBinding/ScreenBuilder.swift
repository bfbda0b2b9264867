// SPDX-License-Identifier: Apache-2.0
import MusubiRx

/// Collects the inputs and outputs that a screen declares while its factory runs.
///
/// Outlets find the builder of the screen that is being made by themselves, so that `Label("label")` is all that
/// an author writes. A builder that has finished takes no further names: an outlet made later belongs to no screen.
package final class ScreenBuilder {
  // Carried: only code that the factory calls synchronously, on the same thread, reads it; a task that inherits it sees a
  // finished builder, which `active` does not return.
  @TaskLocal private static var current: Carried<ScreenBuilder>?

  /// The builder of the screen whose factory is running; nil elsewhere, as in a ViewModel's unit test.
  package static var active: ScreenBuilder? {
    guard let builder = current?.element, !builder.isFinished else { return nil }
    return builder
  }

  /// Where the outputs are.
  package let board = OutputBoard()
  /// The inputs so far.
  package private(set) var inputs: [InputSlot] = []
  /// The outputs that are lists, with the types of their rows.
  private(set) var lists: [(name: String, row: Any.Type)] = []
  /// The outputs of which each page gets a part.
  private(set) var windows: [WindowedOutput] = []
  /// The types of their rows.
  private(set) var windowRows: [Any.Type] = []
  /// The inputs of rows that are ViewModels, by their names.
  private var rowInputs: [String: ViewModelRowInputs] = [:]
  /// Their names behind those of the components that have the lists, with the names that the rows declare.
  private var componentRowInputs: [String: any RowInputs] = [:]
  /// Who may send them.
  var rowRules: [([ScreenSchema.Input]) throws -> InputRules] = []
  /// The names of the outputs that are events, in the order of their declaration.
  package private(set) var events: [String] = []
  /// The ViewModels that outputs navigate to.
  package private(set) var destinations: [ScreenSchema.Destination] = []
  /// The problems of the names so far, one sentence each.
  package private(set) var problems: [String] = []
  /// The components whose states the factory has asked for, by the names on the way to them.
  var askedComponents: [[String]] = []
  /// The controls whose arriving files the factory has asked for.
  var askedFiles: [String] = []
  /// The `@Observable` model whose bindings declare names now, for messages.
  var owner: Any.Type?
  private var isFinished = false

  /// A builder without names.
  package init() {}

  /// Runs a factory and whatever else declares names.
  package func collect<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { isFinished = true }
    return try Self.$current.withValue(Carried(self), operation: body)
  }

  /// Declares an input.
  package func declareInput(_ slot: InputSlot) {
    check(slot.name, as: "input", among: inputs.lazy.map(\.name))
    inputs.append(slot)
  }

  /// Declares an output.
  package func declareOutput(_ name: String) -> OutputSlot {
    check(name, as: "output", among: board.slots.lazy.map(\.name))
    return board.declare(name)
  }

  /// Declares an output that is a list.
  func declareList(_ name: String, of row: Any.Type) -> OutputSlot {
    lists.append((name, row))
    return declareOutput(name)
  }

  /// Declares the inputs that the rows of a list have; those of two lists may have one name.
  func declareRowInputs(_ names: [String], of list: any RowInputsOwner) {
    for name in names {
      if rowInputs[name] == nil {
        let all = ViewModelRowInputs(name)
        rowInputs[name] = all
        declareInput(InputSlot(of: all))
      }
      rowInputs[name]?.lists.append(list)
    }
  }

  /// Gives an input of rows another name behind that of the component that has the list, by which fragments
  /// with a prefix send it.
  ///
  /// It gets the name only if nothing else has it: a page that works goes on working.
  ///
  /// - Parameters:
  ///   - name: The name behind the component's.
  ///   - declaredName: The name that the rows declare.
  ///   - new: The inputs of the name, if no other list has them yet.
  ///   - add: Adds the list to the inputs.
  func declareRowInput<Inputs: RowInputs>(
    _ name: String, as declaredName: String, _ new: @autoclosure () -> Inputs, add: (Inputs) -> Void
  ) {
    let known = componentRowInputs[name]
    guard let inputs = (known ?? new()) as? Inputs, inputs.declaredName == declaredName else { return }
    componentRowInputs[name] = inputs
    add(inputs)
  }

  /// Declares those of these names that nothing else has, once all others are known.
  func declareComponentRowInputs() {
    let outputs = board.slots.map(\.name) + events + windows.map(\.name)
    let taken = Set(inputs.map(\.name) + outputs)
    for (name, rows) in componentRowInputs.sorted(by: { $0.key < $1.key }) where !taken.contains(name) {
      inputs.append(InputSlot(of: rows))
    }
  }

  /// A sentence about an input of rows that has the name of an output; nil if there is none.
  var hiddenRowInput: String? {
    rowInputs.keys.sorted().first { name in board.slots.contains { $0.name == name } }.map {
      "the rows' input \"\($0)\" has the name of an output of the screen: give one of them another name."
    }
  }

  /// Whether rows have inputs of their own.
  var hasRowInputs: Bool { !rowInputs.isEmpty }

  /// Declares an output of which each page gets the rows that it looks at.
  func declareWindows(_ name: String, of row: Any.Type) -> (OutputSlot, WindowedOutput) {
    let output = WindowedOutput(name: name)
    windows.append(output)
    windowRows.append(row)
    return (declareOutput(name), output)
  }

  /// A sentence about an input that pages could not send, since its name is that of a windowed list; nil if there is none.
  var hiddenInput: String? {
    guard let input = inputs.first(where: { input in windows.contains { $0.name == input.name } }) else {
      return nil
    }
    return
      "the input \"\(input.name)\" has the name of a list of WindowedRows, by which pages ask for its rows: give it another name."
  }

  /// Declares an output that is not state: each of its elements is delivered once.
  package func declareEvent(_ name: String) {
    check(name, as: "output", among: board.slots.lazy.map(\.name))
    check(name, as: "output", among: events)
    events.append(name)
  }

  /// Declares an output that navigates.
  func declareDestination(_ output: String, of type: Any.Type) {
    declareEvent(output)
    destinations.append(
      ScreenSchema.Destination(output: output, type: ObjectIdentifier(type), typeName: "\(type)"))
  }

  /// The factory asks for something that is not there, or a binding is where it cannot work.
  func report(_ problem: String) { problems.append(problem) }

  private static func isPlain(_ byte: UInt8) -> Bool { byte > 0x2f && byte != 0x7e && byte < 0x7f }

  private static func isForbidden(_ character: Character) -> Bool {
    character == "." || character == "/" || character == "~" || character.isWhitespace
  }

  private func check(_ name: String, as role: String, among others: some Sequence<String>) {
    if name.isEmpty || !name.utf8.allSatisfy(Self.isPlain) && name.contains(where: Self.isForbidden) {
      let place = owner.map { " in the bindings of \($0)" } ?? ""
      problems.append(
        "the \(role) name \"\(name)\"\(place) cannot be used: a name is not empty and has no dot, slash, tilde or space."
      )
    }
    if others.contains(name) {
      let remedy =
        owner.map { ", one of them in the bindings of \($0): give one another name." }
        ?? ": give one of the outlets another name."
      problems.append("two \(role)s are called \"\(name)\"\(remedy)")
    }
  }
}
