// Placeholder of Curl; goes with its first real file.
