// Placeholder of Terminal; goes with its first real file.
