// Placeholder of Crypto; goes with its first real file.
