// SPDX-License-Identifier: Apache-2.0
package import struct Foundation.Date
package import struct Foundation.TimeInterval

/// A place in a pottery course, as far as somebody has filled it in.
package struct Registration: Equatable, Codable {
  /// The subject of a course.
  package enum Course: String, Codable, Sendable {
    case taster, wheel, glazing
  }

  /// What the person knows already.
  package enum Level: String, Codable, Sendable {
    case beginner, returning
  }

  /// When on the day.
  package enum Part: Int, Codable, Sendable {
    case morning, afternoon
  }

  /// The problems, by field; a field that nobody has touched yet is not wrong but missing.
  package struct Problems: Encodable, Equatable {
    /// The name was emptied.
    package let name: Bool
    /// The number of people is none, or not from 1 to 8.
    package let people: Bool
    /// The day is over.
    package let day: Bool
  }

  /// The fields that are missing or wrong, so that the form cannot be sent.
  package struct Missing: Encodable, Equatable {
    /// A name.
    package let name: Bool
    /// A number of people from 1 to 8.
    package let people: Bool
    /// A day that is not over.
    package let day: Bool
    /// The house rules accepted.
    package let rules: Bool

    /// The fields that are still needed; true stands for such a field.
    package init(name: Bool, people: Bool, day: Bool, rules: Bool) {
      self.name = name
      self.people = people
      self.day = day
      self.rules = rules
    }
  }

  /// Who comes; nil until something was typed.
  package var name: String?
  /// How many come; nil while the field is empty.
  package var people: Int? = 1
  /// When; nil while the field is empty.
  package var day: Date?
  /// What for.
  package var course = Course.taster
  /// What they know.
  package var level = Level.beginner
  /// When on the day.
  package var part = Part.morning
  /// Anything else.
  package var remarks = ""
  /// Whether the house rules were accepted.
  package var accepts = false

  /// An empty form.
  package init() {}

  /// The problems now.
  ///
  /// - Parameter now: A day is over when it is over everywhere on earth, because a date has no time zone.
  /// - Returns: The fields to complain about.
  package func problems(at now: Date) -> Problems {
    let end = day?.addingTimeInterval(Self.longestDay)
    return Problems(
      name: name.map { !Self.hasText($0) } ?? false,
      people: people.map { !(1...8).contains($0) } ?? true, day: end.map { $0 <= now } ?? false)
  }

  /// The fields that are still needed now.
  package func missing(at now: Date) -> Missing {
    let problems = problems(at: now)
    return Missing(
      name: name == nil || problems.name, people: problems.people, day: day == nil || problems.day,
      rules: !accepts)
  }

  /// Whether it can be sent.
  package func isComplete(at now: Date) -> Bool {
    missing(at: now) == Missing(name: false, people: false, day: false, rules: false)
  }

  /// From the beginning of a day in UTC to its end at UTC-12.
  private static let longestDay: TimeInterval = 36 * 3600

  private static func hasText(_ text: String) -> Bool { text.contains { !$0.isWhitespace } }
}
