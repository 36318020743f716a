// Placeholder of Model; goes with its first real file.
