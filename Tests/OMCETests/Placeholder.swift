// Placeholder of OMCETests; goes with its first real file.
