"""Sums over the processes of one machine (``kernels/nearby_entry.pyx``); nothing of it where nothing is compiled."""
try:
    from leafward.arrays.kernels import nearby_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled
