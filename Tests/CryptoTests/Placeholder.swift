// Placeholder of CryptoTests; goes with its first real file.
