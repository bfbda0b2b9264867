// SPDX-License-Identifier: Apache-2.0
public import MusubiRx

/// A control of the page that takes files: `<input type="file" data-bind-file="photo">`.
///
/// The View's rules say which files: `.limit("photo", to: .megabytes(20), types: ["image/*"])`. Each arrives when it is
/// complete, and is deleted unless somebody takes it.
///
/// ```swift
/// let photo = FileField("photo")
/// photo.rx.file.subscribe(onNext: { [viewModel] in viewModel.add($0) }).disposed(by: disposeBag)
/// ```
public final class FileField: Outlet {
  fileprivate let files = PublishSubject<UploadedFile>()

  /// Called with each file; the way without `rx`.
  public var onFile: ((UploadedFile) -> Void)?

  /// The outlet of an input name.
  ///
  /// - Parameter name: The name in the page.
  override public init(_ name: String) {
    super.init(name)
    // Whoever shows the screen holds the input, and the field does not hold them.
    ScreenBuilder.active?.declareInput(
      .decoding(name, kind: .file, UploadedFile.self) { (file: UploadedFile) in
        self.files.onNext(file)
        self.onFile?(file)
      })
  }
}

extension Reactive where Base: FileField {
  /// Every file that has arrived, once.
  public var file: ControlEvent<UploadedFile> { ControlEvent(events: base.files) }
}
