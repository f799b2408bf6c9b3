"""What the workers of a data loader need to know of NumPy."""
import numpy as np

#: NumPy's own numbers, which Python does not take for its own.
SCALARS = (np.bool_, np.number, np.object_)


def seed_numpy(base_seed, worker_id):
    """Start NumPy's global generator as PyTorch's workers do."""
    np.random.seed(np.random.SeedSequence([worker_id, base_seed]).generate_state(4))


def holds_text(array):
    """Whether ``array`` has strings or objects, of which no tensor can be made."""
    return array.dtype.char in "SaUO"
