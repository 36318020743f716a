// Placeholder of SQLite; goes with its first real file.
