// Placeholder of JSON; goes with its first real file.
