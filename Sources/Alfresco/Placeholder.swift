// Placeholder of Alfresco; goes with its first real file.
