// SPDX-License-Identifier: Apache-2.0
import Musubi

/// What somebody has ordered.
struct Order {
  let name: String
  let cups: Int
}

/// The orders of a tea house.
actor OrderBook {
  private(set) var orders: [Order] = [Order(name: "Ada", cups: 2)]

  func add(_ order: Order) { orders.append(order) }
}

/// One line of a table (RFC 4180).
func csvLine(_ cells: [String]) -> String {
  let escaped = cells.map { cell in
    // A table program would take the text of a visitor for a formula, and run it.
    let isFormula = cell.first.map { "=+-@\t\r".contains($0) } ?? false
    return "\"" + (isFormula ? "'" : "") + cell.replacing("\"", with: "\"\"") + "\""
  }
  return escaped.joined(separator: ",") + "\r\n"
}

extension Application {
  /// Takes orders by a form, and hands them out as a table.
  mutating func addOrders(_ book: OrderBook) {
    post("/orders") { request in
      let form = try request.form
      guard let name = form["name"], !name.isEmpty, let cups = Int(form["cups"] ?? "") else {
        throw HTTPError(400, "An order has a name and a number of cups.")
      }
      await book.add(Order(name: name, cups: cups))
      return try .redirect(to: "/")
    }

    get("/orders.csv") { _ in
      let table = Response.stream("text/csv; charset=utf-8") { writer in
        try await writer.write(csvLine(["name", "cups"]))
        for order in await book.orders {
          try await writer.write(csvLine([order.name, "\(order.cups)"]))
        }
      }
      return table.download(as: "orders.csv")
    }
  }
}
