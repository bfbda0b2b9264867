// SPDX-License-Identifier: Apache-2.0

extension ObservableType {
  /// Prints every event.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Observable<Element> {
    let name = identifier ?? "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
    let tell: (String) -> Void = { print("\(WallClock.stamp()): \(name) -> \($0)") }
    let tellEvent: (Event<Element>) -> Void = { tell("Event \(trimmed("\($0)", trimOutput))") }
    return `do`(
      onNext: { tellEvent(.next($0)) }, onError: { tellEvent(.error($0)) },
      onCompleted: { tellEvent(.completed) }, onSubscribe: { tell("subscribed") },
      onDispose: { tell("isDisposed") })
  }
}

private func trimmed(_ text: String, _ trims: Bool) -> String {
  guard trims, text.count > 40 else { return text }
  return "\(text.prefix(20))...\(text.suffix(20))"
}
