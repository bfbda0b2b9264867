// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A name in the page, and what it stands for in an `@Observable` model.
///
/// ```swift
/// [.field("name", \.name), .output("greeting", \.greeting), .rows("todos", \.todos), .action("clear") { $0.clear() }]
/// ```
public struct PageBinding<Model: AnyObject> {
  /// Binds it in a screen, or in a model that is a part of one.
  let bind: (_ names: ModelNames, _ model: @escaping () -> Model?) -> Void
  /// Adds what it shows of a row's model to the row; nil if it shows nothing.
  let show: ((_ model: Model, _ row: RowMembers) throws -> Void)?
  /// Binds its inputs in the rows of a list.
  let bindRows: ((_ names: ModelNames, _ rows: RowFinder<Model>) -> Void)?
  /// The rules of models inside, for names behind a prefix; nil if there are none.
  var rules: ((_ prefix: String) -> [InputRule<Any>])?
}

// MARK: - Values

extension PageBinding {
  /// A property that the page shows and writes; of a `String`, a text that several may type into.
  ///
  /// The model has the last word: the page shows what the property holds after it was written.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - path: The property.
  /// - Returns: The binding.
  public static func field<Content: Codable & Equatable>(
    _ name: String, _ path: any ReferenceWritableKeyPath<Model, Content> & Sendable
  ) -> Self {
    Self(
      bind: { names, model in
        let (output, full) = (names.output(name) { model().map { $0[keyPath: path] } }, names.full(name))
        names.input(name, of: Content.self) { content throws(BindingError) in
          guard let model = model() else { throw .absent(full) }
          model[keyPath: path] = content
          output?.mark()
        }
      }, show: { try $1.add(name, $0[keyPath: path]) },
      bindRows: { names, rows in
        names.rowInput(name, of: Content.self, rows) { $0[keyPath: path] = $1 }
      })
  }

  /// A field needs a property that can be written.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - path: The property.
  /// - Returns: Nothing.
  @available(
    *, unavailable,
    message: "A field is written by the page: its property must be a var. Use output for what is only shown."
  )
  public static func field<Content>(_ name: String, _ path: any KeyPath<Model, Content> & Sendable) -> Self {
    fatalError("unavailable")
  }

  /// A property that the page shows: a plain value, or a list of values, which may have an `id`.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - path: The property; computed ones follow the properties that they read.
  /// - Returns: The binding.
  public static func output<Content: Encodable>(
    _ name: String, _ path: any KeyPath<Model, Content> & Sendable
  ) -> Self {
    Self(
      bind: { names, model in _ = names.output(name) { model().map { $0[keyPath: path] } } },
      show: { try $1.add(name, $0[keyPath: path]) }, bindRows: nil)
  }

  /// A long list, of which each page gets the rows that it looks at: `data-window`.
  ///
  /// Rows are read later, and not followed: a property that the list reads has to change with them.
  ///
  /// ```swift
  /// .windows("entries", \.entries)  // var entries: RowArray<Entry> { RowArray(all) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - path: The list; it is in the model of the screen or in a part of it, and not in that of a row.
  /// - Returns: The binding.
  public static func windows<Rows: WindowedRows>(
    _ name: String, _ path: any KeyPath<Model, Rows> & Sendable
  ) -> Self {
    Self(
      bind: { names, model in names.windows(name) { model().map { $0[keyPath: path] } } }, show: nil,
      bindRows: { names, _ in
        names.refuse(
          "the long list \"\(names.full(name))\" is in a row: a page has windows of a screen's own lists alone."
        )
      })
  }
}

// MARK: - Models in models

extension PageBinding {
  /// A list of models, each a row with the names of its own bindings, and with its `id`.
  ///
  /// Rows are bound once for each id: a change of one costs that one.
  ///
  /// - Parameters:
  ///   - name: The name in the page.
  ///   - path: The list.
  /// - Returns: The binding.
  public static func rows<Row: ObservableViewModel & Identifiable>(
    _ name: String, _ path: any KeyPath<Model, [Row]> & Sendable
  ) -> Self where Row.ID: CustomStringConvertible {
    Self(
      bind: { names, model in names.rows(name) { model()?[keyPath: path] ?? [] } },
      show: { try $1.add(name, rows: $0[keyPath: path]) },
      bindRows: { names, parents in
        let rows = RowFinder<Row>(
          output: parents.output,
          find: { row in
            guard let id = row.last else { return .missing }
            return parents.find(row.dropLast()).inside { RowMatch(of: id, among: $0[keyPath: path]) }
          },
          // A row is shown with the row that it is in.
          restate: { parents.restate($0.dropLast()) })
        guard let names = names.inside(nil, Row.self) else { return }
        for binding in Row.bindings { binding.bindRows?(names, rows) }
      },
      // The names of rows have none before them.
      rules: { _ in Row.allRules() })
  }

  /// A model that is a part of this one; its names are joined, as in `addressStreet`.
  ///
  /// - Parameters:
  ///   - name: The beginning of its names.
  ///   - path: The part.
  /// - Returns: The binding.
  public static func child<Child: ObservableViewModel>(
    _ name: String, _ path: any KeyPath<Model, Child> & Sendable
  ) -> Self { child(name) { $0[keyPath: path] } }

  /// A model that may be a part of this one; while it is not, its outputs are null, and its inputs are refused.
  ///
  /// - Parameters:
  ///   - name: The beginning of its names.
  ///   - path: The part.
  /// - Returns: The binding.
  public static func child<Child: ObservableViewModel>(
    _ name: String, _ path: any KeyPath<Model, Child?> & Sendable
  ) -> Self { child(name) { $0[keyPath: path] } }

  private static func child<Child: ObservableViewModel>(
    _ name: String, _ part: @escaping (Model) -> Child?
  ) -> Self {
    Self(
      bind: { names, model in
        guard let inner = names.inside(name, Child.self) else { return }
        for binding in Child.bindings { binding.bind(inner) { model().flatMap(part) } }
        names.keep(name, inner) { model().flatMap(part) }
      },
      show: { model, row in
        let row = row.inside(name)
        guard let child = part(model) else { return }
        for binding in Child.bindings { try binding.show?(child, row) }
      },
      bindRows: { names, rows in
        guard let names = names.inside(name, Child.self) else { return }
        let children = RowFinder<Child>(
          output: rows.output,
          find: { row in
            rows.find(row).inside { model in part(model).map(RowMatch<Child>.one) ?? .missing }
          },
          restate: rows.restate)
        for binding in Child.bindings { binding.bindRows?(names, children) }
      }, rules: { Child.allRules(behind: StreamDeclaration.joined($0, name)) })
  }
}
