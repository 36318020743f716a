// Placeholder of WireTests; goes with its first real file.
