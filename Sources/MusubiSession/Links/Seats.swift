// SPDX-License-Identifier: Apache-2.0

/// The connections of an audience, where they were accepted: each gets what comes for all.
final class Seats {
  private(set) var visits: [VisitProxy] = []

  func add(_ visit: VisitProxy) {
    visit.seats?.remove(visit)
    (visit.seats, visit.seat) = (self, visits.count)
    visits.append(visit)
  }

  func remove(_ visit: VisitProxy) {
    guard visit.seats === self else { return }
    visit.seats = nil
    let last = visits.removeLast()
    guard last !== visit else { return }
    visits[visit.seat] = last
    last.seat = visit.seat
  }
}
