import Musubi

extension TripViewModel: InputOutputViewModel {}

extension Application {
  mutating func addTrip() {
    screen("trip", page: "trip.html") { _ in TripViewModel() }
  }
}
