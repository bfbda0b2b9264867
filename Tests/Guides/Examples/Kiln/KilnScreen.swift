import Foundation
import Musubi

extension KilnViewModel: InputOutputViewModel {}

extension Application {
  mutating func addKiln() {
    screen("kiln", scope: .room, page: "kiln.html") { context in
      KilnViewModel(clock: context.clock) { number in 900 + 300 * sin(Double(number) / 20) }
    }
  }
}
