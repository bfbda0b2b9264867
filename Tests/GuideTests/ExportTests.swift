// SPDX-License-Identifier: Apache-2.0
import Musubi
import Testing

@testable import GuideExamples

@Suite(.timeLimit(.minutes(5))) struct `An export of orders` {
  @Test func `is a table of what forms have sent`() async {
    var application = Application()
    application.addOrders(OrderBook())
    let order = Request(
      .post, "/orders", headers: ["content-type": "application/x-www-form-urlencoded"],
      body: Array("name=%3DSUM(A1)&cups=3".utf8))

    let added = await application.respond(to: order)
    let table = await application.respond(to: Request("/orders.csv"))

    #expect(added.status == 303)
    #expect(table.headers["Content-Disposition"] == "attachment; filename=\"orders.csv\"")
    #expect(table.text == "\"name\",\"cups\"\r\n\"Ada\",\"2\"\r\n\"'=SUM(A1)\",\"3\"\r\n")
  }

  @Test func `is not changed by a form without a number`() async {
    var application = Application()
    application.addOrders(OrderBook())
    let order = Request(
      .post, "/orders", headers: ["content-type": "application/x-www-form-urlencoded"],
      body: Array("name=Bob".utf8))

    #expect(await application.respond(to: order).status == 400)
  }
}
