// Placeholder of YAML; goes with its first real file.
