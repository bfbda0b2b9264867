import Musubi

/// Takes people aboard a ferry (`ferry.html`); all who open the page see the same ferry.
final class FerryView: View {
  private let notice = Label("notice")
  private let aboard = Label("aboard")
  private let board = Button("board")
  private let code = TextField("code")
  private let seats: Int
  private let context: ScreenContext
  private var people = 0

  static override var rules: [InputRule<View>] { [.redact("code")] }

  init(_ context: ScreenContext, office: HarbourOffice) {
    self.context = context
    seats = context.value("seats") { office.seats }
  }

  override func viewDidLoad() {
    board.onTap = { [unowned self] in
      people = min(people + 1, seats)
      show()
    }
    context.task { [unowned self, office = HarbourOffice()] in
      notice.text = await context.value("weather") { await office.weather() }
    }
    show()
  }

  private func show() {
    aboard.text = "\(people) of \(seats) are aboard"
    board.isEnabled = people < seats
  }
}

/// Knows what no screen knows.
struct HarbourOffice {
  let seats = Int.random(in: 10...20)

  func weather() async -> String {
    ["calm", "a swell", "a storm"].randomElement() ?? ""
  }
}

extension Application {
  mutating func addFerry() {
    screen("ferry", scope: .room, page: "ferry.html") { context in FerryView(context, office: HarbourOffice())
    }
  }
}
