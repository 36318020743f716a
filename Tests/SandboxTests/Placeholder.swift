// Placeholder of SandboxTests; goes with its first real file.
