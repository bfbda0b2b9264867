// The ViewModel: as for iOS. It knows no page, no socket, no thread.
import MusubiRx

final class GreetingViewModel {
  let greeting: Driver<String>

  init(name: Observable<String?>) {
    greeting =
      name
      .map { name in (name ?? "").isEmpty ? "Who are you?" : "Hello, \(name ?? "")!" }
      .asDriver(onErrorJustReturn: "")
  }
}
