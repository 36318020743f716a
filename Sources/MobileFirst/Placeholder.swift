// Placeholder of MobileFirst; goes with its first real file.
