// SPDX-License-Identifier: Apache-2.0
import Foundation

// MARK: - What a request brings

extension Request {
  /// The fields of the form that a page sends.
  ///
  /// - Throws: `HTTPError` 415 if the body is none, such as `multipart/form-data`; 400 if it cannot be read.
  public var form: Form {
    get throws {
      switch mediaType {
      case "application/x-www-form-urlencoded": return try Form(body)
      case "multipart/form-data":
        throw HTTPError(415, "This address takes no multipart forms: leave out the form's enctype.")
      default: throw HTTPError(415, "This address takes a form: application/x-www-form-urlencoded.")
      }
    }
  }

  /// The value that a script sends as JSON.
  ///
  /// ```swift
  /// application.post("/votes") { request in
  ///   let vote = try request.json(as: Vote.self)
  ///   return try .json(await votes.count(vote))
  /// }
  /// ```
  ///
  /// - Parameter type: The type that the value has.
  /// - Returns: The value.
  /// - Throws: `HTTPError` 415 if the body is no JSON by its type, 400 if it cannot be read or does not fit.
  public func json<Value: Decodable>(as type: Value.Type) throws -> Value {
    guard mediaType == "application/json" || mediaType.hasSuffix("+json") else {
      throw HTTPError(415, "This address takes JSON: application/json.")
    }
    do {
      return try JSONDecoder().decode(type, from: Data(body))
    } catch let error as DecodingError {
      throw HTTPError(400, error.sentence)
    }
  }

  /// The body as a text.
  ///
  /// - Throws: `HTTPError` 400 if it is not UTF-8.
  public var text: String {
    get throws {
      guard let text = String(validating: body, as: UTF8.self) else {
        throw HTTPError(400, "The text is not UTF-8.")
      }
      return text
    }
  }

  /// The type of the body without its parameters, in lower case; empty if it says none.
  private var mediaType: String {
    let type = (headers["content-type"] ?? "").prefix { $0 != ";" }
    return type.trimmingCharacters(in: .whitespaces).lowercased()
  }
}

extension DecodingError {
  /// The part that does not fit, for whoever has sent it.
  fileprivate var sentence: String {
    switch self {
    case .keyNotFound(let key, let context):
      "The JSON has no \(Self.place(context.codingPath + [key]))."
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "The JSON has the wrong type at \(Self.place(context.codingPath))."
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "The JSON has a value that does not fit at \(Self.place(context.codingPath))."
    default: "The body is not JSON."
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    guard !path.isEmpty else { return "its top" }
    let steps = path.map { key in key.intValue.map(String.init) ?? key.stringValue }
    return "\"\(steps.joined(separator: ".").prefix(80))\""
  }
}
