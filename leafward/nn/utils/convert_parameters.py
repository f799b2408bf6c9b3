"""All parameters as one vector, and back."""
import leafward as lw
from leafward.nn.modules.utils import typename


def parameters_to_vector(parameters):
    """One vector of all parameters' values, in order."""
    return lw.cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Give each parameter its slice of ``vec``."""
    if not isinstance(vec, lw.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for p in parameters:
        end = start + p.numel()
        p.data = vec[start:end].view_as(p).data
        start = end
