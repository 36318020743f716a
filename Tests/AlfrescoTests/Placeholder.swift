// Placeholder of AlfrescoTests; goes with its first real file.
