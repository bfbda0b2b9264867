// SPDX-License-Identifier: Apache-2.0

/// Bytes or a patch that the wire format does not allow.
public struct WireError: Error, Equatable {
  /// The kind of mistake; new kinds may be added without breaking anybody.
  package enum Kind: Equatable, Sendable {
    // JSON
    case truncated
    case unexpectedByte(UInt8)
    case invalidUTF8
    case invalidEscape
    case controlCharacter
    case invalidNumber
    case numberOutOfRange
    case duplicateMember(String)
    case tooDeep(limit: Int)
    case trailingBytes
    // Frames
    case notAnObject
    case unknownKind(String)
    case wrongType(member: String, expected: String)
    case missingMember(String)
    // Pointers and patches
    case invalidPointer(String)
    case unknownOperation(String)
    case noSuchPath(String)
    case moveIntoItself(String)
    case testFailed(String)
    // WebSocket
    case reservedBits
    case unknownOpcode(UInt8)
    case wrongMasking
    case lengthNotMinimal
    case fragmentedControl
    case controlTooLong(Int)
    case unexpectedContinuation
    case interruptedMessage
    case messageTooLong(limit: Int)
    case invalidCloseCode(Int)
  }

  /// The kind of mistake.
  package let kind: Kind

  /// Where the problem starts.
  ///
  /// For bytes the offset from the beginning of the frame, for a patch the index of the operation.
  public let offset: Int

  package init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// The code by which the server answers a client's frame that has this error.
  package var errorCode: ErrorCode {
    if case .unknownKind = kind { return .unknownInput }
    return .malformed
  }

  /// The close code that RFC 6455 wants for this error in a WebSocket's own framing.
  package var closeCode: CloseCode {
    switch kind {
    case .invalidUTF8: .invalidText
    case .messageTooLong: .tooLarge
    default: .protocolError
    }
  }
}

extension WireError: CustomStringConvertible {
  /// One sentence with place, expectation and what came.
  public var description: String {
    switch kind {
    case .noSuchPath, .moveIntoItself, .testFailed: "operation \(offset): \(explanation)"
    default: "byte \(offset): \(explanation)"
    }
  }

  /// The mistake without the place; names from outside are cut to 80 characters.
  private var explanation: String {
    jsonExplanation ?? frameExplanation ?? webSocketExplanation
  }

  private var jsonExplanation: String? {
    switch kind {
    case .truncated: "the JSON ends too early"
    case .unexpectedByte(let byte): "unexpected \(Self.quoted(byte)) in JSON"
    case .invalidUTF8: "not valid UTF-8"
    case .invalidEscape: "an escape that JSON does not know, or half of a surrogate pair"
    case .controlCharacter: "a control character in a string must be escaped"
    case .invalidNumber: "not a number as JSON writes it"
    case .numberOutOfRange: "a number too large to hold"
    case .duplicateMember(let name): "the member \(Self.quoted(name)) occurs twice"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .trailingBytes: "more bytes after the end of the JSON value"
    default: nil
    }
  }

  private var frameExplanation: String? {
    switch kind {
    case .notAnObject: "a frame must be a JSON object"
    case .unknownKind(let name): "no kind of frame has the member \(Self.quoted(name))"
    case .wrongType(let member, let expected): "\(Self.quoted(member)) must be \(expected)"
    case .missingMember(let name): "the member \(Self.quoted(name)) is missing"
    case .invalidPointer(let text): "\(Self.quoted(text)) is no JSON Pointer; it starts with / or is empty"
    case .unknownOperation(let name): "JSON Patch has no operation \(Self.quoted(name))"
    case .noSuchPath(let path): "there is nothing at \(Self.quoted(path))"
    case .moveIntoItself(let path): "\(Self.quoted(path)) cannot be moved into itself"
    case .testFailed(let path): "\(Self.quoted(path)) holds another value"
    default: nil
    }
  }

  private var webSocketExplanation: String {
    switch kind {
    case .reservedBits: "reserved bits are set, but no extension was agreed"
    case .unknownOpcode(let opcode): "WebSocket has no opcode \(opcode)"
    case .wrongMasking: "frames of a client are masked, those of a server are not"
    case .lengthNotMinimal: "a length must be written in its shortest form"
    case .fragmentedControl: "a control frame must not be fragmented"
    case .controlTooLong(let length): "a control frame of \(length) bytes; at most 125 are allowed"
    case .unexpectedContinuation: "a continuation without a message to continue"
    case .interruptedMessage: "a new message before the last one was finished"
    case .messageTooLong(let limit): "a message of more than \(limit) bytes"
    case .invalidCloseCode(let code): "\(code) is no close code that may be sent"
    default: "not allowed"
    }
  }

  private static func quoted(_ text: String) -> String {
    text.count <= 80 ? "\"\(text)\"" : "\"\(text.prefix(79))…\""
  }

  private static func quoted(_ byte: UInt8) -> String {
    (0x21...0x7e).contains(byte) ? "'\(Character(Unicode.Scalar(byte)))'" : "byte \(byte)"
  }
}
