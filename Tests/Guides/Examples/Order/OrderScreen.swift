import Musubi

extension PotViewModel: InputOutputViewModel {}
extension OrderViewModel: InputOutputViewModel {}

extension Application {
  mutating func addOrder() {
    screen("order", scope: .room, page: "order.html") { _ in OrderViewModel() }
  }
}
