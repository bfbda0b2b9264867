// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx

/// The screen at `/` of the admin port.
enum StatusScreen {
  /// Its page, which is part of the program: an application's own folder has none.
  static var files: [(path: String, name: String, body: [UInt8])] {
    [(path: "/", name: "status.html", body: PackageResources.status_html)]
  }

  /// The screen, which shows the newest report.
  static func route(_ reports: SharedRelay<ServerReport>) -> ScreenRoute {
    ScreenRoute(name: "status", scope: .session, path: "/") { _ in StatusView(reports) }
  }
}

final class StatusView: View {
  private let report = Label("report")
  private let disposeBag = DisposeBag()
  private let reports: SharedRelay<ServerReport>

  init(_ reports: SharedRelay<ServerReport>) { self.reports = reports }

  override func viewDidLoad() {
    reports.asObservable().map { "\($0.loops.count)" }.asDriver(onErrorJustReturn: "").drive(report.rx.text)
      .disposed(by: disposeBag)
  }
}
