// Placeholder of TestKit; goes with its first real file.
