// Placeholder of Browser; goes with its first real file.
