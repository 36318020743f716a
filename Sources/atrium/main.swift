import FoundationEssentials
import Glibc

let status = await Program.run(
  Array(CommandLine.arguments.dropFirst()), environment: ProcessInfo.processInfo.environment)
exit(status)
