// The View: outlets that stand for elements of the page, in RxCocoa's words.
import Musubi

final class GreetingView: View {
  let name = TextField("name")
  let greeting = Label("greeting")
  private lazy var viewModel = GreetingViewModel(name: name.rx.text.asObservable())
  private let disposeBag = DisposeBag()

  override func viewDidLoad() {
    viewModel.greeting.drive(greeting.rx.text).disposed(by: disposeBag)
  }
}

var application = Application()
application.screen("greeting", scope: .room, page: "greeting.html") { _ in GreetingView() }
await application.run()
