"""``torch.utils.model_zoo``: the older names of ``torch.hub``."""
from leafward.compat.hub import load_state_dict_from_url as load_url, tqdm  # noqa: F401
