// SPDX-License-Identifier: Apache-2.0

#if canImport(XCTest)
  public import MusubiRx
  internal import XCTest

  /// Asserts that two lists of recorded events are the same.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>], file: StaticString = #filePath,
    line: UInt = #line
  ) {
    guard lhs != rhs else { return }
    XCTFail(difference(lhs.map(\.debugDescription), rhs.map(\.debugDescription)), file: file, line: line)
  }

  /// Asserts that two lists of events are the same.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Event<Element>], _ rhs: [Event<Element>], file: StaticString = #filePath, line: UInt = #line
  ) {
    guard lhs != rhs else { return }
    XCTFail(difference(lhs.map(\.debugDescription), rhs.map(\.debugDescription)), file: file, line: line)
  }

  /// Asserts that two lists of what singles ended with are the same.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath,
    line: UInt = #line
  ) { XCTAssertEqual(lhs.map(asEvent), rhs.map(asEvent), file: file, line: line) }

  private func asEvent<Element>(_ event: SingleEvent<Element>) -> Event<Element> {
    switch event {
    case .success(let element): .next(element)
    case .failure(let error): .error(error)
    }
  }

  /// Asserts that a recording holds these elements, in this order, and nothing else: also no end.
  public func XCTAssertRecordedElements<Element: Equatable>(
    _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #filePath,
    line: UInt = #line
  ) {
    if let end = stream.first(where: { $0.value.isStopEvent }) {
      XCTFail("The recording holds an end: \(end.debugDescription)", file: file, line: line)
    }
    XCTAssertEqual(stream.compactMap(\.value.element), elements, file: file, line: line)
  }

  /// The lists one below the other, with a mark at each place where they differ.
  private func difference(_ observed: [String], _ expected: [String]) -> String {
    var lines = ["The events differ (observed | expected):"]
    for index in 0..<max(observed.count, expected.count) {
      let left = index < observed.count ? observed[index] : "-"
      let right = index < expected.count ? expected[index] : "-"
      lines.append("\(left == right ? " " : "*") \(left) | \(right)")
    }
    return lines.joined(separator: "\n")
  }
#endif
