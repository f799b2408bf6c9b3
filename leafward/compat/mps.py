"""``torch.mps`` where there is no such device."""
from leafward.compat.cuda import always
from leafward.tensor.missing import names_missing_from

is_available = always(False)
device_count = current_allocated_memory = driver_allocated_memory = always(0)


def missing(*args, **kwargs):
    """Refused: there is no such device."""
    raise RuntimeError("Cannot access MPS: leafward computes on the CPU; guard this with torch.mps.is_available()")


empty_cache = synchronize = manual_seed = seed = get_rng_state = set_rng_state = missing
set_per_process_memory_fraction = recommended_max_memory = missing


__getattr__ = names_missing_from("torch.mps", globals())
