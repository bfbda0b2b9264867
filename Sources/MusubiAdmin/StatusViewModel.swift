// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The status screen: what a server tells of itself, for the person who runs it.
///
/// It is an ordinary screen of an application, which shows reports instead of what visitors do.
final class StatusViewModel: InputOutputViewModel {
  /// The page sends nothing.
  struct Inputs: Decodable {}

  /// What the page shows.
  struct Outputs: Encodable {
    /// The language of the page's texts, for `<html lang>`.
    let language: Driver<String>
    let title: Driver<String>
    /// Whether the port has an inspector.
    let hasInspector: Driver<Bool>
    let verdict: Driver<StatusRows.Verdict>
    let server: Driver<StatusRows.Server>
    let budgets: Driver<[StatusRows.Budget]>
    let loops: Driver<[StatusRows.Loop]>
    let rooms: Driver<[StatusRows.Room]>
    let screens: Driver<[StatusRows.Screen]>
    let peers: Driver<[StatusRows.Peer]>
    let refusals: Driver<[StatusRows.Refusal]>
    let reasons: Driver<[StatusRows.Reason]>
  }

  private let reports: Observable<ServerReport>
  private let language: StatusLanguage
  private let hasInspector: Bool

  /// A status screen.
  ///
  /// - Parameters:
  ///   - reports: What the server tells, about once a second; the newest at once.
  ///   - language: What the texts are in.
  ///   - hasInspector: Whether the port has an inspector, to which a link leads.
  init(reports: Observable<ServerReport>, language: StatusLanguage, hasInspector: Bool = false) {
    self.reports = reports
    self.language = language
    self.hasInspector = hasInspector
  }

  func bind(_ inputs: Inputs) -> Outputs {
    let page =
      reports
      // The first one is there before anybody has looked at the server.
      .filter { $0.time > 0 }
      .scan(into: ReportHistory()) { history, report in history.add(report) }
      .compactMap { [language] history in StatusPage(history, language) }
      .asDriver(onErrorDriveWith: .empty())

    return Outputs(
      language: .just(language.tag), title: page.map(\.title), hasInspector: .just(hasInspector),
      verdict: page.map(\.verdict),
      server: page.map(\.server),
      budgets: page.map(\.budgets), loops: page.map(\.loops), rooms: page.map(\.rooms),
      screens: page.map(\.screens), peers: page.map(\.peers), refusals: page.map(\.refusals),
      reasons: page.map(\.reasons))
  }
}
