// SPDX-License-Identifier: Apache-2.0

/// Answers in the form of the real search API.
enum WikipediaAnswers {
  static func hits(_ titles: String...) -> String {
    let hits = titles.enumerated().map { index, title in
      """
      {"ns":0,"title":"\(title)","pageid":\(index + 100),"size":3000,"wordcount":300,\
      "snippet":"About <span class=\\"searchmatch\\">\(title)</span> &amp; more,\\n&quot;so&#039;s&quot;",\
      "timestamp":"2024-01-01T00:00:00Z"}
      """
    }
    return """
      {"batchcomplete":true,"continue":{"sroffset":20,"continue":"-||"},\
      "query":{"searchinfo":{"totalhits":4711},"search":[\(hits.joined(separator: ","))]}}
      """
  }

  static let refusal = """
    {"error":{"code":"ratelimited","info":"Wait some time and try again.","docref":"See the API's help."}}
    """
}
