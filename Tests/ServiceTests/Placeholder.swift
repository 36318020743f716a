// Placeholder of ServiceTests; goes with its first real file.
