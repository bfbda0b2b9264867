/// A door that opens, closes and can be locked.
final class DoorViewModel {
  /// Everything that the View can be told.
  enum State: Equatable {
    case open, closed, locked
  }

  /// Called with each new state, and with the present one when it is set.
  var stateDidUpdate: ((State) -> Void)? {
    didSet { stateDidUpdate?(state) }
  }

  private var state = State.closed {
    didSet { stateDidUpdate?(state) }
  }

  /// Somebody pushes the door.
  func push() {
    switch state {
    case .open: state = .closed
    case .closed: state = .open
    case .locked: break
    }
  }

  /// Somebody turns the key.
  func turnKey() {
    switch state {
    case .open: break
    case .closed: state = .locked
    case .locked: state = .closed
    }
  }
}
