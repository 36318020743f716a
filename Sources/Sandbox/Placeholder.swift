// Placeholder of Sandbox; goes with its first real file.
