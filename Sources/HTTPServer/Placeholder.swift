// Placeholder of HTTPServer; goes with its first real file.
