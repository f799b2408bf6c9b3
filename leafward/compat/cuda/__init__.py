"""``torch.cuda`` as a CPU build of PyTorch answers it: there are no devices; seeding all none of them is allowed."""
from leafward.devices import check_device
from leafward.tensor.absent import stand_in
from leafward.tensor.missing import MissingNameError

from leafward.compat.cuda.streams import (  # noqa: F401
    AcceleratorError, CUDAGraph, Event, ExternalStream, OutOfMemoryError, Stream, StreamContext, device, device_of, graph,
    stream, tensor_types,
)


def always(value):
    """A function that gives ``value``, whatever it is asked about."""
    def answer(*args, **kwargs):
        return value
    answer.__doc__ = f"{value}: there is no such device."
    return answer


def refuse(*args, **kwargs):
    """Refused: there is no such device."""
    check_device("cuda")


is_available = is_initialized = is_bf16_supported = is_tf32_supported = always(False)
device_count = memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = always(0)
memory_cached = max_memory_cached = always(0)
get_gencode_flags = always("")
has_half, has_magma, default_generators = True, False, ()
manual_seed = manual_seed_all = seed = seed_all = empty_cache = always(None)
caching_allocator_enable = always(None)
current_device = current_stream = default_stream = get_device_capability = get_device_name = refuse
get_device_properties = get_rng_state = init = initial_seed = ipc_collect = mem_get_info = refuse
reset_peak_memory_stats = set_device = set_rng_state = synchronize = refuse
reset_max_memory_allocated = reset_max_memory_cached = reset_accumulated_memory_stats = refuse
can_device_access_peer = cudart = current_blas_handle = get_per_process_memory_fraction = get_stream_from_external = refuse
get_sync_debug_mode = set_sync_debug_mode = set_per_process_memory_fraction = set_stream = refuse
graph_pool_handle = is_current_stream_capturing = make_graphed_callables = memory_snapshot = memory_summary = refuse


globals().update(tensor_types)


def get_arch_list():
    """The kinds of GPUs built for: none."""
    return []


def memory_stats(*args):
    """What was allocated on a GPU: nothing."""
    return {}


host_memory_stats = memory_stats_as_nested_dict = host_memory_stats_as_nested_dict = memory_stats


def get_rng_state_all():
    """The states of all devices: none."""
    return []


def set_rng_state_all(new_states):
    """Set the states of all devices: there are none to set."""
    for state in new_states:
        set_rng_state(state)


def __getattr__(name):
    if name == "amp":
        from importlib import import_module
        return import_module("leafward.cuda.amp")
    if found := stand_in("cuda", name):
        return found
    raise MissingNameError(name, globals(), "torch.cuda")
