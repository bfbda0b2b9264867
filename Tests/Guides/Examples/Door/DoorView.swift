import Musubi

/// A sentence and two buttons (`door.html`).
final class DoorView: View {
  private let push = Button("push")
  private let key = Button("key")
  private let sign = Label("sign")
  private let viewModel: DoorViewModel

  init(viewModel: DoorViewModel) {
    self.viewModel = viewModel
  }

  deinit { viewModel.stateDidUpdate = nil }

  override func viewDidLoad() {
    push.onTap = { [unowned self] in viewModel.push() }
    key.onTap = { [unowned self] in viewModel.turnKey() }
    viewModel.stateDidUpdate = { [unowned self] state in show(state) }
  }

  private func show(_ state: DoorViewModel.State) {
    switch state {
    case .open: sign.text = "Come in."
    case .closed: sign.text = "Push."
    case .locked: sign.text = "Locked."
    }
    push.isEnabled = state != .locked
    key.isEnabled = state != .open
  }
}

extension Application {
  mutating func addDoor() {
    screen("door", scope: .room, page: "door.html") { _ in DoorView(viewModel: DoorViewModel()) }
  }
}
