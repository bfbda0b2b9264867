// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import musubi_bench

@Suite struct `Documents that the benchmark fills in` {
  private let folder = TemporaryFolder()

  @Test func `only the region of the name changes`() throws {
    let path = try folder.write(
      "a\n<!-- musubi-bench echo -->\nold\n<!-- end -->\nb\n<!-- musubi-bench rx -->\nkept\n<!-- end -->\n",
      to: "a.md")

    try Document(path: path).replace("echo", by: "new")

    #expect(
      try String(contentsOfFile: path, encoding: .utf8)
        == "a\n<!-- musubi-bench echo -->\n\nnew\n<!-- end -->\nb\n<!-- musubi-bench rx -->\nkept\n<!-- end -->\n"
    )
  }

  @Test func `a document without the region stays as it is`() throws {
    let path = try folder.write("a\n", to: "b.md")

    try Document(path: path).replace("echo", by: "new")

    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a\n")
  }

  @Test func `a region without an end is an error, and nothing is written`() throws {
    let path = try folder.write("<!-- musubi-bench echo -->\nold\n", to: "c.md")

    let error = #expect(throws: BenchError.self) { try Document(path: path).replace("echo", by: "new") }

    #expect(error?.description == "\(path) has no <!-- end --> after <!-- musubi-bench echo -->")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "<!-- musubi-bench echo -->\nold\n")
  }

  @Test func `a table is Markdown, its remarks a list`() {
    let table = Document.table(
      "Rates", header: ["<server", "events/s"], rows: [["Musubi", "1,000"]], remarks: ["a busy machine"])

    #expect(
      table == """
        Rates:

        | server | events/s |
        | --- | ---: |
        | Musubi | 1,000 |

        - a busy machine

        """)
  }

  @Test(
    arguments: [
      (nil, 0, "-"), (.infinity, 0, "-"), (0, 2, "0.00"), (999, 0, "999"), (1_234_567.891, 1, "1,234,567.9"),
      (-123, 0, "-123"), (-1_234, 0, "-1,234"),
    ] as [(Double?, Int, String)])
  func `numbers are written as people read them`(value: Double?, decimals: Int, text: String) {
    #expect(readable(value, decimals: decimals) == text)
  }
}
