// Placeholder of ModelTests; goes with its first real file.
