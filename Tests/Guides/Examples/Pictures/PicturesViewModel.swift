import Musubi

/// A wall on which everybody hangs pictures.
final class PicturesViewModel {
  struct Picture: Encodable, Identifiable {
    let id: String
    let name: String
    let address: String
  }

  struct Inputs: Decodable {
    var picture: Signal<UploadedFile> = .never()
  }

  struct Outputs: Encodable {
    let pictures: Driver<[Picture]>
    let arriving: Driver<[ArrivingFile]>
    let problem: Driver<String>
  }

  private let folder: String
  private let arriving: Driver<[ArrivingFile]>
  private let pictures = BehaviorRelay<[Picture]>(value: [])
  private let problem = BehaviorRelay(value: "")
  private let disposeBag = DisposeBag()

  init(folder: String, arriving: Driver<[ArrivingFile]>) {
    self.folder = folder
    self.arriving = arriving
  }

  func bind(_ inputs: Inputs) -> Outputs {
    inputs.picture.emit(onNext: { [unowned self] in hang($0) }).disposed(by: disposeBag)
    return Outputs(pictures: pictures.asDriver(), arriving: arriving, problem: problem.asDriver())
  }

  private func hang(_ file: UploadedFile) {
    let name = "\(file.id).\(file.type.dropFirst("image/".count))"
    do {
      try file.take(to: "\(folder)/\(name)")
      pictures.accept(pictures.value + [Picture(id: file.id, name: file.name, address: "/pictures/\(name)")])
      problem.accept("")
    } catch {
      problem.accept("\(file.name) could not be kept.")
    }
  }
}
