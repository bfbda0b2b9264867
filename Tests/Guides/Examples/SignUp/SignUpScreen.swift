import Musubi

extension SignUpViewModel: InputOutputViewModel {}

/// The names that are taken, as long as there is no database.
struct FixedNames: Names {
  let taken: Set<String>

  func isFree(_ name: String) -> Single<Bool> { .just(!taken.contains(name)) }
}

extension Application {
  mutating func addSignUp() {
    screen("sign-up", page: "sign-up.html") { _ in SignUpViewModel(names: FixedNames(taken: ["Ann"])) }
  }
}
