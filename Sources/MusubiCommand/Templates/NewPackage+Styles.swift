// SPDX-License-Identifier: Apache-2.0
import Musubi

// The screen in each style. All have the same names, so that one page, one script and one test fit them.
extension NewPackage {
  /// Whether a View stands between page and ViewModel.
  var hasView: Bool { style == .outlets || style == .states }

  /// The expression that makes the screen.
  var newScreen: String {
    switch style {
    case .inputs, .observable: "\(name.type)ViewModel()"
    case .outlets: "\(name.type)View()"
    case .states: "\(name.type)View(viewModel: \(name.type)ViewModel())"
    }
  }

  /// The screen's Swift files by name.
  var swiftFiles: [String: String] {
    let (viewModel, view) = ("\(name.type)ViewModel.swift", "\(name.type)View.swift")
    return switch style {
    case .inputs: [viewModel: inputsViewModel]
    case .outlets: [viewModel: outletsViewModel, view: outletsView]
    case .states: [viewModel: statesViewModel, view: statesView]
    case .observable: [viewModel: observableViewModel]
    }
  }

  private var inputsViewModel: String {
    """
    import Musubi

    /// Greets whoever is named, and counts the waves.
    final class \(name.type)ViewModel: InputOutputViewModel {
      /// What the page sends.
      struct Inputs: Decodable {
        var name: Signal<String> = .never()
        var wave: Signal<Void> = .never()
      }

      /// What the page shows.
      struct Outputs: Encodable {
        let name: Driver<String>
        let greeting: Driver<String>
        let waveDisabled: Driver<Bool>
        let waves: Driver<String>
      }

      func bind(_ inputs: Inputs) -> Outputs {
        let name = inputs.name.asDriver(onErrorJustReturn: "").startWith("")
        let waves = inputs.wave.scan(0) { count, _ in count + 1 }
          .asDriver(onErrorJustReturn: 0).startWith(0)

        return Outputs(
          name: name,
          greeting: name.map { $0.isEmpty ? "Who is there?" : "Hello, \\($0)!" },
          waveDisabled: name.map(\\.isEmpty),
          waves: waves.map { "Waves: \\($0)" })
      }
    }

    """
  }

  private var outletsViewModel: String {
    """
    import MusubiRx

    /// Greets whoever is named, and counts the waves.
    final class \(name.type)ViewModel {
      let greeting: Driver<String>
      let canWave: Driver<Bool>
      let waves: Driver<String>

      init(name: Observable<String?>, wave: Observable<Void>) {
        let name = name.map { $0 ?? "" }.asDriver(onErrorJustReturn: "")

        greeting = name.map { $0.isEmpty ? "Who is there?" : "Hello, \\($0)!" }
        canWave = name.map { !$0.isEmpty }
        waves =
          wave
          .scan(0) { count, _ in count + 1 }
          .startWith(0)
          .map { "Waves: \\($0)" }
          .asDriver(onErrorJustReturn: "")
      }
    }

    """
  }

  private var outletsView: String {
    """
    import Musubi

    /// A field, a button and two texts (`Public/\(name.screen).html`).
    final class \(name.type)View: View {
      private let name = TextField("name")
      private let wave = Button("wave")
      private let greeting = Label("greeting")
      private let waves = Label("waves")
      private let disposeBag = DisposeBag()

      private lazy var viewModel = \(name.type)ViewModel(
        name: name.rx.text.asObservable(),
        wave: wave.rx.tap.asObservable())

      override func viewDidLoad() {
        disposeBag.insert(
          viewModel.greeting.drive(greeting.rx.text),
          viewModel.canWave.drive(wave.rx.isEnabled),
          viewModel.waves.drive(waves.rx.text))
      }
    }

    """
  }

  private var statesViewModel: String {
    """
    /// Greets whoever is named, and counts the waves.
    final class \(name.type)ViewModel {
      /// Everything that the View can be told.
      enum State: Equatable {
        case nobody(waves: Int)
        case somebody(String, waves: Int)
      }

      /// Called with each new state, and with the present one when it is set.
      var stateDidUpdate: ((State) -> Void)? {
        didSet { stateDidUpdate?(state) }
      }

      private var state = State.nobody(waves: 0) {
        didSet { stateDidUpdate?(state) }
      }

      /// Somebody types.
      func type(_ name: String) {
        switch state {
        case .nobody(let waves), .somebody(_, let waves):
          state = name.isEmpty ? .nobody(waves: waves) : .somebody(name, waves: waves)
        }
      }

      /// Somebody waves.
      func wave() {
        switch state {
        case .nobody: break
        case .somebody(let name, let waves): state = .somebody(name, waves: waves + 1)
        }
      }
    }

    """
  }

  private var statesView: String {
    """
    import Musubi

    /// A field, a button and two texts (`Public/\(name.screen).html`).
    final class \(name.type)View: View {
      private let name = TextField("name")
      private let wave = Button("wave")
      private let greeting = Label("greeting")
      private let waves = Label("waves")
      private let viewModel: \(name.type)ViewModel

      init(viewModel: \(name.type)ViewModel) { self.viewModel = viewModel }

      deinit { viewModel.stateDidUpdate = nil }

      override func viewDidLoad() {
        name.onChange = { [unowned self] in viewModel.type($0) }
        wave.onTap = { [unowned self] in viewModel.wave() }
        viewModel.stateDidUpdate = { [unowned self] state in show(state) }
      }

      private func show(_ state: \(name.type)ViewModel.State) {
        switch state {
        case .nobody(let count):
          greeting.text = "Who is there?"
          wave.isEnabled = false
          waves.text = "Waves: \\(count)"
        case .somebody(let name, let count):
          greeting.text = "Hello, \\(name)!"
          wave.isEnabled = true
          waves.text = "Waves: \\(count)"
        }
      }
    }

    """
  }

  private var observableViewModel: String {
    """
    import Musubi
    import Observation

    /// Greets whoever is named, and counts the waves.
    @Observable final class \(name.type)ViewModel {
      var name = ""
      private var count = 0

      var greeting: String { name.isEmpty ? "Who is there?" : "Hello, \\(name)!" }
      var waveDisabled: Bool { name.isEmpty }
      var waves: String { "Waves: \\(count)" }

      func wave() { count += 1 }
    }

    extension \(name.type)ViewModel: ObservableViewModel {
      /// What the page calls the properties and methods.
      static var bindings: [PageBinding<\(name.type)ViewModel>] {
        [
          .field("name", \\.name),
          .output("greeting", \\.greeting),
          .output("waveDisabled", \\.waveDisabled),
          .output("waves", \\.waves),
          .action("wave") { $0.wave() },
        ]
      }
    }

    """
  }
}
