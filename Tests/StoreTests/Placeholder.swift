// Placeholder of StoreTests; goes with its first real file.
