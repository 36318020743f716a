// Placeholder of Screens; goes with its first real file.
