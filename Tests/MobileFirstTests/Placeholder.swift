// Placeholder of MobileFirstTests; goes with its first real file.
