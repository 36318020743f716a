// Placeholder of YAMLTests; goes with its first real file.
