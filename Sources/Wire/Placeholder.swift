// Placeholder of Wire; goes with its first real file.
