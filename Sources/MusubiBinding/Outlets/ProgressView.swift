// SPDX-License-Identifier: Apache-2.0
public import MusubiRx
import MusubiWire

/// How far work is: `<progress data-bind-attr-value="name.fraction">`, and a text of `name.message`.
///
/// ```swift
/// let work = ProgressView("work")
/// task.asDriver().drive(work.rx.progress).disposed(by: disposeBag)
/// ```
public final class ProgressView: Outlet {
  private let slot: OutputSlot

  /// The outlet of an output name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    slot = Self.output(name)
    super.init(name)
  }

  /// How far it is.
  public var progress = TaskProgress() {
    didSet {
      do {
        slot.write(try ValueEncoder.encode(progress, like: slot.value))
      } catch {
        report("the progress \"\(name)\" cannot be shown: \(error)")
      }
    }
  }
}

extension Reactive where Base: ProgressView {
  /// Sets how far it is.
  public var progress: Binder<TaskProgress> { Binder(base) { view, progress in view.progress = progress } }
}
