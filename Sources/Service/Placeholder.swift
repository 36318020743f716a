// Placeholder of Service; goes with its first real file.
