// Placeholder of BrowserTests; goes with its first real file.
