// Placeholder of HTTPServerTests; goes with its first real file.
