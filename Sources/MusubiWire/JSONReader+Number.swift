// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
  /// Reads a number.
  mutating func readNumber() throws(WireError) -> Value {
    guard let first = peek() else { throw WireError(.truncated, at: offset) }
    let start = offset
    let isNegative = first == UInt8(ascii: "-")
    if isNegative { offset += 1 }
    guard let digit = byte(at: offset), digit.isDigit else {
      if isNegative { throw WireError(offset < bytes.count ? .invalidNumber : .truncated, at: offset) }
      throw unexpected()
    }
    var mantissa = Mantissa()
    try readIntegerDigits(into: &mantissa)
    var hasFraction = false
    if byte(at: offset) == UInt8(ascii: ".") {
      offset += 1
      hasFraction = true
      let digits = try readDigits(into: &mantissa)
      mantissa.exponent -= digits
    }
    if let letter = byte(at: offset), letter | 0x20 == UInt8(ascii: "e") {
      offset += 1
      hasFraction = true
      mantissa.exponent += try readExponent()
    }
    if !hasFraction, let integer = mantissa.integer(isNegative: isNegative) { return .integer(integer) }
    return .number(try double(from: start, mantissa, isNegative: isNegative))
  }

  /// Reads a number that must be an integer in that range.
  package mutating func readInteger(
    _ member: StaticString, in range: ClosedRange<Int>
  ) throws(WireError) -> Int {
    guard let first = peek() else { throw WireError(.truncated, at: offset) }
    let start = offset
    if let number = plainInteger() {
      if range.contains(number) { return number }
      offset = start
    }
    if first == UInt8(ascii: "-") || first.isDigit, let number = try readNumber().intValue,
      range.contains(number)
    {
      return number
    }
    let expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
    throw WireError(.wrongType(member: "\(member)", expected: expected), at: start)
  }

  /// Reads what nearly every number in a frame is: one to fifteen digits; anything else is left where it is.
  @inline(__always)
  private mutating func plainInteger() -> Int? {
    var position = offset
    var number = 0
    while let digit = byte(at: position), digit.isDigit {
      number = number &* 10 &+ Int(digit &- UInt8(ascii: "0"))
      position += 1
    }
    let digits = position - offset
    guard (1...15).contains(digits), digits == 1 || bytes[offset] != UInt8(ascii: "0") else { return nil }
    guard let next = byte(at: position), next == .comma || next == .rightBrace || next == .rightBracket else {
      return nil
    }
    offset = position
    return number
  }

  @inline(__always)
  private func byte(at position: Int) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Reads `0`, or digits that do not start with it.
  private mutating func readIntegerDigits(into mantissa: inout Mantissa) throws(WireError) {
    guard byte(at: offset) == UInt8(ascii: "0") else {
      _ = try readDigits(into: &mantissa)
      return
    }
    offset += 1
    if let next = byte(at: offset), next.isDigit { throw WireError(.invalidNumber, at: offset) }
  }

  /// Reads at least one digit and returns how many there were.
  private mutating func readDigits(into mantissa: inout Mantissa) throws(WireError) -> Int {
    let start = offset
    while let digit = byte(at: offset), digit.isDigit {
      mantissa.append(digit - UInt8(ascii: "0"))
      offset += 1
    }
    guard offset > start else {
      throw WireError(offset < bytes.count ? .invalidNumber : .truncated, at: offset)
    }
    return offset - start
  }

  /// Reads sign and digits of an exponent; absurd ones are cut to a value that is surely 0 or too large.
  private mutating func readExponent() throws(WireError) -> Int {
    var isNegative = false
    if let sign = byte(at: offset), sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      offset += 1
    }
    var digits = Mantissa()
    _ = try readDigits(into: &digits)
    let size = digits.isExact ? Int(min(digits.value, 1_000_000)) : 1_000_000
    return isNegative ? -size : size
  }

  /// The double nearest to the number that starts there and ends at the offset.
  ///
  /// A mantissa below 2⁵³ and a power of ten up to 10²² are exact doubles, and so is their correctly rounded
  /// product or quotient (W. D. Clinger, "How to Read Floating Point Numbers Accurately", 1990).
  private func double(
    from start: Int, _ mantissa: Mantissa, isNegative: Bool
  ) throws(WireError) -> Double {
    if mantissa.isExact, mantissa.value < 1 << 53, abs(mantissa.exponent) <= 22 {
      var power = 1.0
      for _ in 0..<abs(mantissa.exponent) { power *= 10 }
      let size = Double(mantissa.value)
      let result = mantissa.exponent < 0 ? size / power : size * power
      return isNegative ? -result : result
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard let result = Double(text) else { throw WireError(.invalidNumber, at: start) }
    guard result.isFinite else { throw WireError(.numberOutOfRange, at: start) }
    return result
  }
}

/// The digits of a number, as far as they fit.
private struct Mantissa {
  var value: UInt64 = 0
  /// Whether all digits are in `value`.
  var isExact = true
  /// The power of ten to multiply `value` by.
  var exponent = 0

  @inline(__always)
  mutating func append(_ digit: UInt8) {
    guard isExact else { return }
    let (product, overflow) = value.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
    if overflow || carry { isExact = false } else { value = sum }
  }

  /// The digits as a signed integer, if they fit.
  func integer(isNegative: Bool) -> Int64? {
    guard isExact else { return nil }
    guard isNegative else { return Int64(exactly: value) }
    return value <= Int64.min.magnitude ? Int64(truncatingIfNeeded: 0 &- value) : nil
  }
}

extension UInt8 {
  /// Whether this is an ASCII digit.
  @inline(__always)
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
}

extension Double {
  /// The integer that this is, or nil.
  ///
  /// `Int64(exactly:)` would do, but in debug builds it needs the C library's `round`, which we do not link.
  var exactInteger: Int64? {
    guard self >= -0x1p63, self < 0x1p63 else { return nil }
    let integer = Int64(self)
    return Double(integer) == self ? integer : nil
  }
}
