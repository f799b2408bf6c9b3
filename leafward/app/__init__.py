"""What the command ``leafward`` runs: PyTorch programs as they are, under the name ``torch``, and the demo."""
