// Placeholder of Store; goes with its first real file.
