"""What ``leafward demo`` runs: train a small network, read it back, and see two gradient bugs caught."""
