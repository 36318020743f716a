// Placeholder of UnwiredTests; goes with its first real file.
