// Placeholder of atriumTests; goes with its first real file.
