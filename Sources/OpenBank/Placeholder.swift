// Placeholder of OpenBank; goes with its first real file.
