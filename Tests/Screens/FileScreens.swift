// SPDX-License-Identifier: Apache-2.0
import Foundation
import Musubi

/// Files for a screen, for a row, and for those alone who may send them.
enum FileScreens {
  static func add(to application: inout Application) {
    // With `--data` or `--upload-folder` they wait there; else in a folder that goes with the process.
    if application.configuration.dataFolder == nil, application.configuration.uploadFolder == nil {
      application.configuration.uploadFolder = temporaryFolder
      atexit { rmdir(FileScreens.temporaryFolder) }
    }
    application.screen("files", scope: .room, page: "files.html") { context in
      FilesViewModel(arriving: context.arrivingFiles(for: "file"))
    }
  }

  private static var temporaryFolder: String {
    FileManager.default.temporaryDirectory.appending(path: "musubi-test-uploads-\(getpid())").path
  }
}

/// Tells what has arrived, and forgets the files.
private final class FilesViewModel {
  struct Row: Encodable, Identifiable {
    let id: Int
    var cover = ""
  }

  /// A file for a row.
  struct Cover: Decodable {
    let id: Int
    let value: UploadedFile
  }

  struct Inputs: Decodable {
    var file: Signal<UploadedFile> = .never()
    var picture: Signal<UploadedFile> = .never()
    var cover: Signal<Cover> = .never()
    var secret: Signal<UploadedFile> = .never()
    var remove: Signal<Int> = .never()
  }

  struct Outputs: Encodable {
    let files: Driver<[String]>
    let rows: Driver<[Row]>
    let arriving: Driver<[ArrivingFile]>
  }

  private let arriving: Driver<[ArrivingFile]>
  private let files = BehaviorRelay<[String]>(value: [])
  private let rows = BehaviorRelay(value: [Row(id: 1), Row(id: 2)])
  private let disposeBag = DisposeBag()

  init(arriving: Driver<[ArrivingFile]>) { self.arriving = arriving }

  func bind(_ inputs: Inputs) -> Outputs {
    Signal.merge(inputs.file, inputs.picture, inputs.secret).emit(onNext: { [files] file in
      files.accept(files.value + ["\(file.name) \(file.type) \(file.size) \(file.sha256.prefix(8))"])
    }).disposed(by: disposeBag)
    inputs.cover.emit(onNext: { [rows] cover in
      rows.accept(rows.value.map { $0.id == cover.id ? Row(id: $0.id, cover: cover.value.name) : $0 })
    }).disposed(by: disposeBag)
    inputs.remove.emit(onNext: { [rows] id in rows.accept(rows.value.filter { $0.id != id }) })
      .disposed(by: disposeBag)
    return Outputs(files: files.asDriver(), rows: rows.asDriver(), arriving: arriving)
  }
}

extension FilesViewModel: InputOutputViewModel {
  static var rules: [InputRule<Inputs>] {
    [
      .limit(\.file, to: .megabytes(40)), .limit(\.picture, to: .kilobytes(64), types: ["image/*"]),
      .limit(\.cover, to: .kilobytes(64)), .limit(\.secret, to: .kilobytes(64)),
      .allow(\.secret, for: .role("keeper")),
    ]
  }
}
