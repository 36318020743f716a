// Placeholder of OpenBankTests; goes with its first real file.
