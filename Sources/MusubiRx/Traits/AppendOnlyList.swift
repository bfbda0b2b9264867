// SPDX-License-Identifier: Apache-2.0

/// The newest lines of a chat or a log, in order: bounded here, while pages keep what they have shown.
///
/// ```swift
/// private let chat = BehaviorRelay(value: AppendOnlyList<Line>(limit: 200))
///
/// chat.update { _ = $0.append { id in Line(id: id, author: "Ann", text: "Hello") } }
/// let lines: Driver<[Line]> = chat.asDriver().map(\.lines)
/// ```
///
/// Lines have ids that count up, and none comes again; a list of stored lines goes on behind the last of them. Who removes lines
/// stores `lastID` as well, so that the id of a removed one does not come again either. A page that draws
/// them by `data-append-only` keeps the lines that this list lets go of, and by the ids it knows which ones it has missed.
public struct AppendOnlyList<Line: Identifiable> where Line.ID == Int {
  /// The lines, the oldest first: at most a quarter more than `limit`.
  public private(set) var lines: [Line]
  /// So many lines stay for sure.
  public let limit: Int
  /// The id that was given last; 0 before the first.
  public private(set) var lastID: Int

  /// A list, empty or with lines that were stored.
  ///
  /// - Parameters:
  ///   - lines: Its lines, in the order of their ids.
  ///   - limit: So many lines stay for sure; at least 1.
  ///   - lastID: The id that was given last, if it was stored; else that of the last line.
  public init(_ lines: [Line] = [], limit: Int = 200, lastID: Int = 0) {
    precondition(limit > 0, "An AppendOnlyList keeps at least one line.")
    self.lines = lines
    self.limit = limit
    self.lastID = max(lastID, lines.last?.id ?? 0)
    trim()
  }

  /// Adds a line at the end.
  ///
  /// - Parameter line: Makes the line with the id that it is given.
  /// - Returns: The line.
  @discardableResult
  public mutating func append(_ line: (_ id: Int) -> Line) -> Line {
    lastID += 1
    let line = line(lastID)
    precondition(line.id == lastID, "The line has the id \(line.id), and was given \(lastID).")
    lines.append(line)
    trim()
    return line
  }

  /// Changes a line; nothing if it has gone.
  ///
  /// - Parameters:
  ///   - id: The line's.
  ///   - change: Changes the line, but not its id.
  public mutating func update(_ id: Int, _ change: (inout Line) -> Void) {
    guard let index = lines.firstIndex(where: { $0.id == id }) else { return }
    change(&lines[index])
    precondition(lines[index].id == id, "The line has another id.")
  }

  /// Takes a line out; nothing if it has gone.
  ///
  /// A page that does not show the newest lines may keep it.
  ///
  /// - Parameter id: The line's.
  public mutating func remove(_ id: Int) { lines.removeAll { $0.id == id } }

  /// Many go at once, so that most additions change the end of the list alone.
  private mutating func trim() {
    if lines.count > limit + limit / 4 { lines.removeFirst(lines.count - limit) }
  }
}

extension AppendOnlyList: Equatable where Line: Equatable {}
extension AppendOnlyList: Sendable where Line: Sendable {}
