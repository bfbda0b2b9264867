// SPDX-License-Identifier: Apache-2.0
import MusubiBinding
import MusubiRx
import MusubiTesting
import Testing

/// Counts how often a list is filtered.
private final class FilterCount {
  var filters: [RowsFilter] = []
}

/// Numbers, of which a part is those with one remainder.
private struct Numbers: WindowedRows {
  struct Row: Encodable, Identifiable {
    let id: Int
  }

  var numbers = Array(0..<160)
  let counted: FilterCount
  var count: Int { numbers.count }

  func rows(in range: Range<Int>) -> [Row] { numbers[range].map { Row(id: $0) } }
  func position(of id: Int) -> Int? { numbers.firstIndex(of: id) }

  func filtered(by filter: RowsFilter) -> Numbers {
    counted.filters.append(filter)
    return Numbers(numbers: numbers.filter { "\($0 % 16)" == filter.part }, counted: counted)
  }
}

private final class NumbersViewModel: InputOutputViewModel {
  struct Inputs: Decodable {}
  struct Outputs: Encodable { let numbers: Driver<Numbers> }

  private let counted: FilterCount

  init(_ counted: FilterCount) { self.counted = counted }

  func bind(_ inputs: Inputs) -> Outputs { Outputs(numbers: .just(Numbers(counted: counted))) }
}

@Suite struct `Windows of the parts of one long list` {
  @Test(arguments: [2, 12, 16]) func `have the list filtered once for each part`(parts: Int) throws {
    let counted = FilterCount()
    let screen = try TestScreen { NumbersViewModel(counted) }
    for first in 0..<3 {
      for part in 0..<parts {
        try screen.look(at: "numbers/\(part)", first: first, count: 2)
        #expect(screen["numbers/\(part).rows[0].id"] == "\(first * 16 + part)")
      }
    }
    #expect(counted.filters.count == parts)
  }
}
