import Model

/// Says which rows of a block meet the terms of a filter, column by column.
struct RowSearch {
  private let columns: [Column]
  private let world: World
  private let units: [MoneyUnit]
  private let query: FilterQuery
  private let needles: [TextNeedle?]
  private var numbers: [NumberText]
  /// Of each term, by tag: whether such a value can look like its word.
  private let kinds: [[Bool]]

  /// - Parameter isNear: Whether words may also stand there nearly.
  init(_ query: FilterQuery, columns: [Column], units: [MoneyUnit], _ world: World, isNear: Bool = false) {
    self.query = query
    self.columns = columns
    self.units = units
    self.world = world
    needles = query.terms.map { term in
      guard case .contains(let word) = term.test else { return nil }
      return TextNeedle(word, isNear: isNear)
    }
    let numbers = query.terms.map { term in
      switch term.test {
      case .contains(let word), .equals(let word): NumberText(word, world)
      case .within: NumberText("", world)
      }
    }
    self.numbers = numbers
    kinds = numbers.map { number in (0...UInt8.max).map { number.mayStand(in: $0) } }
  }

  /// Blocks to look through between two keys. Numbers are written out before they are looked at, which takes longer.
  static func slice(_ query: FilterQuery, isNear: Bool) -> Int {
    let isCostly = query.terms.contains { term in
      if case .contains(let word) = term.test {
        word.utf8.contains { $0 < UInt8(ascii: "a") || $0 > 0x7F }
      } else {
        false
      }
    }
    return isNear || isCostly ? 1 : 3
  }

  /// - Parameter rows: Those that are still in question.
  mutating func matches(in block: RowBlock, of rows: RowSet) -> RowSet {
    var rows = rows
    for (index, term) in query.terms.enumerated() {
      // What the texts say holds for all columns.
      let texts = needles[index]?.hits(in: block.texts) ?? RowSet()
      var met = RowSet(capacity: block.count)
      for column in term.column.map({ $0...$0 }).map(Array.init) ?? Array(columns.indices) {
        find(index, column, in: block, texts, of: rows, &met)
      }
      if term.isNegated { rows.subtract(met) } else { rows.formIntersection(met) }
      if rows.isEmpty { break }
    }
    return rows
  }

  private mutating func find(
    _ index: Int, _ column: Int, in block: RowBlock, _ texts: RowSet, of rows: RowSet, _ met: inout RowSet
  ) {
    guard column < block.columns.count else { return }
    let cells = block.columns[column]
    var undecided = rows
    undecided.subtract(met)
    switch query.terms[index].test {
    case .contains:
      let kinds = kinds[index]
      guard !texts.isEmpty || kinds.contains(true) else { return }
      contains(index, cells, column, in: block, texts: texts, kinds: kinds, of: undecided, &met)
    case .equals(let text): equals(index, text, cells, column, in: block, of: undecided, &met)
    case .within(let bounds): within(bounds, index, cells, in: block, of: undecided, &met)
    }
  }

  // MARK: Words

  private mutating func contains(
    _ index: Int, _ cells: RowBlock.Cells, _ column: Int, in block: RowBlock, texts: RowSet, kinds: [Bool],
    of rows: RowSet, _ met: inout RowSet
  ) {
    let isGrouped = !CellForm.isName(columns[column])
    rows.forEach { row in
      let tag = cells.tags[row]
      let word = cells.words[row]
      if CellTag.isText(tag) {
        if texts.contains(Int(word)) { met.insert(row) }
      } else if kinds[Int(tag)] {
        let holds =
          switch tag {
          case CellTag.money...:
            numbers[index].stands(inNumber: word, decimals: units[Int(tag - CellTag.money)].decimals)
          case CellTag.integer: numbers[index].stands(inNumber: word, isGrouped: isGrouped)
          case CellTag.time: numbers[index].stands(inTime: word)
          default: shows(query.terms[index].test, row, column, in: block)
          }
        if holds { met.insert(row) }
      }
    }
  }

  private func equals(
    _ index: Int, _ text: String, _ cells: RowBlock.Cells, _ column: Int, in block: RowBlock, of rows: RowSet,
    _ met: inout RowSet
  ) {
    let kinds = kinds[index]
    var texts: [Int64: Bool] = [:]
    rows.forEach { row in
      let tag = cells.tags[row]
      let holds: Bool
      switch tag {
      case CellTag.missing: holds = false
      case CellTag.text, CellTag.date:
        if let known = texts[cells.words[row]] {
          holds = known
        } else {
          holds = shows(query.terms[index].test, row, column, in: block)
          texts[cells.words[row]] = holds
        }
      case CellTag.null, CellTag.decimal: holds = shows(query.terms[index].test, row, column, in: block)
      default: holds = kinds[Int(tag)] && shows(query.terms[index].test, row, column, in: block)
      }
      if holds { met.insert(row) }
    }
  }

  /// The plain way: by the value's texts.
  private func shows(_ test: FilterTerm.Test, _ row: Int, _ column: Int, in block: RowBlock) -> Bool {
    guard let value = block.value(row, column, units) else { return false }
    let form = CellForm(value, in: columns[column], world).text
    switch test {
    case .contains(let word): return TextSearch.contains(value.exactText, word) || TextSearch.contains(form, word)
    case .equals(let text): return value.exactText.lowercased() == text || form.lowercased() == text
    case .within: return false
    }
  }

  // MARK: Numbers and moments

  private mutating func within(
    _ bounds: FilterBounds, _ index: Int, _ cells: RowBlock.Cells, in block: RowBlock, of rows: RowSet,
    _ met: inout RowSet
  ) {
    let isNumber = bounds.kind == .number
    let ranges = units.map { bounds.range(decimals: $0.decimals) }
    let whole = bounds.range(decimals: 0)
    var texts: [Int64: Bool] = [:]
    rows.forEach { row in
      let tag = cells.tags[row]
      let word = cells.words[row]
      let holds: Bool
      switch tag {
      case CellTag.money...: holds = isNumber && ranges[Int(tag - CellTag.money)]?.contains(word) == true
      case CellTag.integer, CellTag.size: holds = isNumber && whole?.contains(word) == true
      case CellTag.time: holds = !isNumber && whole?.contains(word + numbers[index].offset(word)) == true
      case CellTag.decimal where isNumber, CellTag.date where !isNumber:
        if let known = texts[word] {
          holds = known
        } else {
          let text = block.texts[Int(word)]
          let value: Value = isNumber ? .decimal(text) : .date(text)
          holds = bounds.number(of: value, world.zone).map(bounds.contains) ?? false
          texts[word] = holds
        }
      default: holds = false
      }
      if holds { met.insert(row) }
    }
  }
}
