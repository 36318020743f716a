// Placeholder of TerminalTests; goes with its first real file.
