"""What is written where is decided by the ranks together: these are options, in PyTorch's places."""


class DefaultSavePlanner:
    """For PyTorch's programs: what several ranks have is written once, in any case.

    flatten_state_dict, flatten_sharded_tensors, dedup_replicated_tensors, dedup_save_to_lowest_rank, enable_plan_caching:
        without effect

    >>> DefaultSavePlanner().dedup_save_to_lowest_rank
    False
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, dedup_replicated_tensors=None,
                 dedup_save_to_lowest_rank=False, enable_plan_caching=False):
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank


class DefaultLoadPlanner:
    """How to load.

    allow_partial_load: whether what the checkpoint lacks stays as it is, in place of an error
    flatten_state_dict, flatten_sharded_tensors: without effect

    >>> DefaultLoadPlanner(allow_partial_load=True).allow_partial_load
    True
    """

    def __init__(self, flatten_state_dict=True, flatten_sharded_tensors=True, allow_partial_load=False):
        self.allow_partial_load = allow_partial_load
