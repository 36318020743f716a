import Dispatch
import Glibc
import Model
import Terminal

/// Takes the terminal over as the browser does, draws a word, and ends as its argument says: a program to look at from
/// outside, since a trap ends the process that has it.
@MainActor func takeOver() -> NcursesTerminal? {
  let environment = TerminalEnvironment(["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
  guard let terminal = try? NcursesTerminal(environment) else { return nil }
  var buffer = CellBuffer(size: terminal.size)
  buffer.put("open", column: 0, row: 0)
  terminal.present(buffer)
  return terminal
}

func sink(_ depth: Int) -> Int { depth == .min ? 0 : sink(depth &+ 1) &+ depth }

guard let terminal = takeOver() else { exit(9) }
let how = CommandLine.arguments.last ?? ""
let one = CommandLine.arguments.count

switch how {
case "index": print([1][one + 5])
case "overflow": print(Int.max - 1 + one)
case "nil": print(Int("x" + how)!)
case "fatal": fatalError("the terminal must be whole when this is read")
case "precondition": precondition(one > 5)
case "stack": print(sink(0))
case "abort": abort()
case "division": print(7 / (one - 2))
case "thread":
  DispatchQueue.global().async { @Sendable in print([1][CommandLine.arguments.count + 5]) }
  dispatchMain()
default: terminal.close()
}
