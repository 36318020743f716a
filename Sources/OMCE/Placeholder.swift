// Placeholder of OMCE; goes with its first real file.
