// Placeholder of ScreensTests; goes with its first real file.
