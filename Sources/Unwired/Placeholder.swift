// Placeholder of Unwired; goes with its first real file.
