import Model
import Screens

/// What a player of tapes needs: events from elsewhere than the terminal, and to know when their consequences are over.
extension Browser {
  /// Handles an event as if the terminal had sent it.
  package func receive(_ event: TerminalEvent) { post(.terminal(event)) }

  /// When `wake` changes something; nil when nothing moves.
  package var deadline: Timestamp? { app.deadline }

  /// The time that `deadline` named has come.
  package func wake() { post(.deadline) }

  /// Changes to a theme by name; false when there is none of that name.
  package func use(theme name: String) -> Bool {
    guard let theme = themes.first(where: { $0.name == name }) else { return false }
    post(.theme(theme, isChosen: true))
    return true
  }

  /// Takes a theme in its new form; what is drawn with it is drawn anew.
  package func renew(_ theme: Theme) { post(.theme(theme, isChosen: false)) }

  /// Says something at the foot of the screen.
  package func tell(_ message: Message) { post(.message(message)) }
}
