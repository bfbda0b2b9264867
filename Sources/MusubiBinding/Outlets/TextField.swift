// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// A text input or text area of the page, bound both ways: `<input data-bind-value="name">`.
///
/// Everybody who shows the screen types into the same text; the View sees whole strings.
///
/// ```swift
/// let search = TextField("search")
/// search.rx.text.orEmpty.bind(to: viewModel.query).disposed(by: disposeBag)
/// ```
public final class TextField: Outlet {
  fileprivate let textSlot: OutputSlot
  fileprivate let typed = PublishSubject<String?>()

  /// Called with the field's text whenever somebody has typed; the way without `rx`.
  public var onChange: ((String) -> Void)?

  /// The outlet of a name that is an output and an input.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    textSlot = Self.output(name)
    super.init(name)
    // Whoever shows the screen holds the input, and the field does not hold them.
    Self.input(name, .string) { value in
      guard case .string(let text) = value else { return }
      self.receive(text)
    }
  }

  /// The text as the pages show it; nil before it was first set or typed.
  ///
  /// Setting it changes the text in the pages and does not fire `onChange` or the field's own observable.
  public var text: String? {
    get { textSlot.shownText }
    set { textSlot.show(newValue) }
  }

  /// Shows the answer to an earlier text, and keeps later typing.
  ///
  /// - Parameters:
  ///   - newText: The text to show instead of `question`.
  ///   - question: A text that the field has reported, or held, before.
  public func answer(_ newText: String, to question: String) {
    textSlot.expectsQuestions = true
    if (textSlot.shownText ?? "") == question { textSlot.shownText = newText }
    textSlot.write(.string(newText), answering: question)
  }

  /// Has the texts that are reported from now on remembered for late answers.
  fileprivate func expectQuestions() { textSlot.expectsQuestions = true }

  private func receive(_ text: String) {
    textSlot.shownText = text
    typed.onNext(text)
    onChange?(text)
  }
}

extension Reactive where Base: TextField {
  /// The field's text: emits its text on subscription and then all typing; takes texts to show.
  public var text: ControlProperty<String?> {
    let (typed, slot) = (base.typed, base.textSlot)
    let values = Observable<String?>.deferred { typed.startWith(slot.shownText ?? "") }
    return ControlProperty(values: values, valueSink: Binder(textOf: slot))
  }

  /// Takes answers to earlier texts, such as a spell-checker's late corrections; keeps later typing.
  public var answer: Binder<Answer<String>> {
    base.expectQuestions()
    return Binder(base) { field, answer in field.answer(answer.element, to: answer.question) }
  }

  /// The same as `text`.
  public var value: ControlProperty<String?> { text }
}
