// SPDX-License-Identifier: Apache-2.0
import Musubi
import Testing

private final class NowhereViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable {}
  func bind(_ inputs: Inputs) -> Outputs { Outputs() }
}

private final class StartViewModel: InputOutputViewModel {
  struct Inputs: Decodable { let tap: Signal<Void> }
  struct Outputs: Encodable { let next: Signal<NowhereViewModel> }
  func bind(_ inputs: Inputs) -> Outputs { Outputs(next: inputs.tap.map { NowhereViewModel() }) }
}

@Suite(.timeLimit(.minutes(5))) struct `An application's visitors` {
  @Test func `are not said to be signed out of a server that does not run`() async {
    var application = Application()
    application.identifyVisitors { _ in Visitor(id: "ann") }
    let visitors = application.visitors

    #expect(await visitors.endSessions(of: "ann") == false)
  }
}

@Suite struct `An application's start` {
  private func problem(_ add: (inout Application) -> Void) throws -> String? {
    var application = Application()
    add(&application)
    do {
      try application.checkScreens()
      return nil
    } catch let error as SchemaError {
      return error.description
    }
  }

  @Test func `finds a ViewModel that is navigated to, and that nothing shows`() throws {
    let found = try problem { application in
      application.screen("start", page: "start.html") { _ in StartViewModel() }
    }
    let complete = try problem { application in
      application.screen("start", page: "start.html") { _ in StartViewModel() }
      application.screen("nowhere", page: "nowhere.html") { _ in NowhereViewModel() }
    }

    #expect(
      found
        == #"Screen "start": the output "next" emits a NowhereViewModel, which no screen of the application shows; "#
        + "add one by screen(_:page:make:).")
    #expect(complete == nil)
  }

  @Test func `finds two screens of one name`() throws {
    let found = try problem { application in
      application.screen("start", page: "a.html") { _ in NowhereViewModel() }
      application.screen("start", page: "b.html") { _ in NowhereViewModel() }
    }

    #expect(found == #"Screen "start": two screens have this name; give one another name."#)
  }

  @Test(arguments: ["o o/ps", "", "a/b", "メモ", "a?b", "..", "50%", String(repeating: "x", count: 65)])
  func `refuses a screen's name that no address can carry`(name: String) throws {
    let found = try problem { application in
      application.screen(name, page: "a.html") { _ in NowhereViewModel() }
    }

    #expect(found?.hasPrefix("Screen \"\(name)\": no address can carry this name") == true)
  }

  @Test(arguments: ["a", "to-do", "v1.2_x~", String(repeating: "x", count: 64)])
  func `takes a screen's name that an address carries as it is`(name: String) throws {
    let found = try problem { application in
      application.screen(name, page: "a.html") { _ in NowhereViewModel() }
    }

    #expect(found == nil)
  }
}
