import Model
import Testing

@testable import Screens

@Suite struct MemoryTests {
  @Test func `what is remembered is read back as it was`() {
    var memory = Memory()
    memory.columns["openbank id label"] = ColumnArrangement([.init("label", columns: 24), .init("id")])
    memory.remember("bank:/banks")
    memory.remember("theme")
    memory.remember("bank:/banks")
    memory.places = [Location(connection: "bank"), Location(connection: "docs", path: ["files", "a b"])]
    memory.place = 1
    #expect(Memory(text: memory.text) == memory)
    #expect(memory.typed == ["theme", "bank:/banks"])
  }

  @Test func `lines that say nothing are passed over`() {
    let memory = Memory(text: "later\tsomething\nplace\t:::\ncolumns\tx\n\ntyped\thelp\n")
    #expect(memory.typed == ["help"])
    #expect(memory.places.isEmpty && memory.columns.isEmpty)
  }

  @Test func `history does not grow without end`() {
    var memory = Memory()
    for number in 0..<500 { memory.remember("\(number)") }
    #expect(memory.typed.count == 200)
    #expect(memory.typed.last == "499")
  }
}
