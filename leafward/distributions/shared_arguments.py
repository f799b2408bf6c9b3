"""What the arguments mean that many distributions share: filled into their docstrings where these say ``{name}``."""
from leafward.utils.docstrings import explain_shared_arguments

SHARED = {
    "probs": "probability of a 1 (a success); None: ``logits`` are given",
    "logits": "its log-odds, ``log(probs / (1 - probs))``; None: ``probs`` are given",
    "validate_args": ("whether parameters, and values given to ``log_prob``, are checked; None: as\n"
                      "    ``Distribution.set_default_validate_args`` says, at first yes. Others raise ValueError"),
    "cache_size": "1: the last x and y are kept, so that the inverse of what was just computed is exact; 0: they are not",
}


def explain_arguments(classes):
    explain_shared_arguments(SHARED, classes)
