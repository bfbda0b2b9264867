// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Observation
import Testing

@Observable private final class Line: Identifiable {
  let id = 1
  var title = ""
}

@Observable private final class Tree: Identifiable {
  let id = 1
  let trees: [Tree] = []
  let next: Tree? = nil
}

@Observable private final class Twice {
  var title = ""
  var name = ""
  let lines = [Line()]
  let line = Line()
  let tree = Tree()
}

extension Line: ObservableViewModel {
  static var bindings: [PageBinding<Line>] { [.field("title", \.title)] }
}

extension Tree: ObservableViewModel {
  static var bindings: [PageBinding<Tree>] {
    BindingMistake.current == .tree ? [.rows("trees", \.trees)] : [.child("next", \.next)]
  }
}

extension Twice: ObservableViewModel {
  static var bindings: [PageBinding<Twice>] { BindingMistake.current.bindings }
  static var rules: [InputRule<Twice>] {
    BindingMistake.current == .rule ? [.allow("nam", for: .signedIn)] : []
  }
}

/// A mistake in bindings.
enum BindingMistake: String, CaseIterable {
  case output, input, row, part, running, name, rule, tree, chain, life

  @TaskLocal static var current = output

  fileprivate var bindings: [PageBinding<Twice>] {
    switch self {
    case .output: [.field("name", \.name), .output("name", \.title)]
    case .input: [.field("name", \.name), .action("name") { $0.title = "" }]
    case .row: [.field("title", \.title), .rows("lines", \.lines)]
    case .part: [.field("lineTitle", \.title), .child("line", \.line)]
    case .running: [.field("name", \.name), .action("save", running: "name") { (_: Twice) async in }]
    case .name: [.output("user.name", \.name)]
    case .rule: [.field("name", \.name)]
    case .life: [.action("viewDidLoad") { (_: Twice, _: Int) in }]
    case .tree, .chain: [.child("tree", \.tree)]
    }
  }

  var message: String {
    func two(_ role: String, _ name: String, _ type: String) -> String {
      "two \(role)s are called \"\(name)\", one of them in the bindings of \(type): give one another name."
    }
    let problem =
      switch self {
      case .output, .running: two("output", "name", "Twice")
      case .input: two("input", "name", "Twice")
      case .row: two("input", "title", "Line")
      case .part: two("output", "lineTitle", "Line")
      case .name:
        "the output name \"user.name\" in the bindings of Twice cannot be used: a name is not empty and has no dot, "
          + "slash, tilde or space."
      case .tree, .chain:
        "the bindings of Tree have others of Tree inside, without an end: bind another type there."
      case .life: "the input \"viewDidLoad\" must be of Void."
      case .rule: "a rule is about \"nam\", which is none of its inputs: name."
      }
    return "Screen \"twice\": \(problem)"
  }
}

@Suite struct `A mistake in the bindings of an observable model` {
  @Test(arguments: BindingMistake.allCases) func `ends the start with its type and name`(
    _ mistake: BindingMistake
  ) {
    let route = ScreenRoute(name: "twice", scope: .session) { _ in
      ObservableScreen(Twice(), name: "twice")
    }
    let context = ScreenContext(
      screen: "twice", clock: MainScheduler.instance, random: RandomSource(seed: 1))

    #expect {
      try BindingMistake.$current.withValue(mistake) { try route.probe(context) }
    } throws: { error in
      "\(error)" == mistake.message
    }
  }
}
