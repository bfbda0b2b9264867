import Musubi

/// A field, three segments and a button (`coffee.html`).
final class CoffeeView: View {
  private let name = TextField("name")
  private let size = SegmentedControl("size", segmentCount: 3)
  private let buy = Button("buy")
  private let order = Label("order")
  private let count = Label("count")
  private let isBusy = Indicator("isBusy")
  private let disposeBag = DisposeBag()

  private lazy var viewModel = CoffeeViewModel(
    name: name.rx.text.asObservable(),
    size: size.rx.selectedIndex.asObservable(),
    tap: buy.rx.tap.asObservable())

  override func viewDidLoad() {
    size.selectedIndex = 1
    disposeBag.insert(
      viewModel.order.drive(order.rx.text),
      viewModel.canOrder.drive(buy.rx.isEnabled),
      viewModel.count.map { "\($0)" }.bind(to: count.rx.text),
      viewModel.count.map { $0 > 2 }.bind(to: isBusy.rx.isOn))
  }
}

extension Application {
  mutating func addCoffee() {
    screen("coffee", page: "coffee.html") { _ in CoffeeView() }
  }
}
