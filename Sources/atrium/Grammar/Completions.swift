import Model

/// Completion scripts for shells, made from the command table. Connections and locations they complete by asking the
/// program itself (`atrium complete`).
enum Completions {
  static let shells = ["bash", "zsh", "fish"]

  static func script(for shell: String, _ commands: [Command]) -> String {
    let listed = commands.filter(\.isListed)
    return switch shell {
    case "bash": bash(listed)
    case "zsh": zsh(listed)
    default: fish(listed)
    }
  }

  private static func words(_ options: [Option]) -> String { options.map { "--\($0.name)" }.joined(separator: " ") }

  private static func bash(_ commands: [Command]) -> String {
    var text = """
      # Completion of atrium for bash.
      _atrium_locations() {
        # The word as it stands on the line: readline takes a colon for the end of one.
        local line="${COMP_LINE:0:COMP_POINT}" IFS=$'\n'
        local word="${line##* }"
        COMPREPLY=($(IFS=" "; compgen -W "$1" -- "$word") $(atrium complete "$word" 2>/dev/null))
        if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
          COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
        else
          COMPREPLY+=($(compgen -f -- "$word"))
        fi
        [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == */ ]] && compopt -o nospace
      }
      _atrium() {
        local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" part
        COMPREPLY=()
        for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case "$part" in -*) ;; *) command="$part"; break ;; esac
        done
        case "$before" in

      """
    for option in unique(commands.flatMap(\.options) + Option.everywhere) where option.takesValue {
      let answer =
        option.choices.isEmpty
        ? "COMPREPLY=($(compgen -f -- \"$word\"))"
        : "COMPREPLY=($(compgen -W \"\(option.choices.joined(separator: " "))\" -- \"$word\"))"
      text += "    --\(option.name)) \(answer); return ;;\n"
    }
    text += "  esac\n  case \"$command\" in\n"
    text +=
      "    \"\") COMPREPLY=($(compgen -W \"\(commands.map(\.name).joined(separator: " ")) \(words(Option.everywhere))\" -- \"$word\")) ;;\n"
    for command in commands {
      let more = command.subcommands.joined(separator: " ")
      text += """
            \(command.name))
              if [[ "$word" == -* ]]; then
                COMPREPLY=($(compgen -W "\(words(command.options + Option.everywhere))" -- "$word"))
              else
                _atrium_locations "\(more)"
              fi ;;

        """
    }
    return text + "  esac\n}\ncomplete -o filenames -F _atrium atrium\n"
  }

  private static func zsh(_ commands: [Command]) -> String {
    var text = "#compdef atrium\n# Completion of atrium for zsh.\n_atrium() {\n  local -a commands\n  commands=(\n"
    for command in commands { text += "    '\(command.name):\(quoted(command.summary))'\n" }
    text += "  )\n  if (( CURRENT == 2 )); then _describe command commands; return; fi\n  case $words[2] in\n"
    for command in commands {
      text += "    \(command.name)) _arguments"
      for option in command.options + Option.everywhere {
        let action =
          option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))"
        let value = option.takesValue ? ":\(quoted(option.value ?? "")):\(action)" : ""
        text += " \\\n      '\(option.isRepeatable ? "*" : "")--\(option.name)[\(quoted(option.help))]\(value)'"
      }
      let words = command.subcommands.joined(separator: " ")
      text +=
        " \\\n      '*:argument:{ compadd -- \(words); compadd -S \"\" -- ${(f)\"$(atrium complete \"$PREFIX\" 2>/dev/null)\"}; _files }' ;;\n"
    }
    return text + "  esac\n}\n_atrium \"$@\"\n"
  }

  private static func fish(_ commands: [Command]) -> String {
    var text = "# Completion of atrium for fish.\ncomplete -c atrium -f\n"
    for command in commands {
      text += "complete -c atrium -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'\n"
    }
    for option in Option.everywhere { text += fishLine(option, "") }
    for command in commands {
      let condition = " -n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.options { text += fishLine(option, condition) }
      if !command.subcommands.isEmpty {
        text += "complete -c atrium\(condition) -a '\(command.subcommands.joined(separator: " "))'\n"
      }
      text += "complete -c atrium\(condition) -F -a '(atrium complete (commandline -ct) 2>/dev/null)'\n"
    }
    return text
  }

  private static func fishLine(_ option: Option, _ condition: String) -> String {
    var line = "complete -c atrium\(condition) -l \(option.name)"
    if let short = option.short { line += " -s \(short)" }
    if option.takesValue {
      line += option.choices.isEmpty ? " -r -F" : " -x -a '\(option.choices.joined(separator: " "))'"
    }
    return line + " -d '\(quoted(option.help))'\n"
  }

  private static func quoted(_ text: String) -> String {
    text.replacing("'", with: "").replacing("[", with: "(").replacing("]", with: ")").replacing(":", with: "")
  }

  private static func unique(_ options: [Option]) -> [Option] {
    var seen = Set<String>()
    return options.filter { seen.insert($0.name).inserted }
  }
}
