// Placeholder of SQLiteTests; goes with its first real file.
