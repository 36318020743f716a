// Placeholder of JSONTests; goes with its first real file.
