"""``torch.onnx.symbolic_helper``: how packages tell PyTorch's exporter of their own operators. Nothing asks them here."""


def parse_args(*arg_descriptors):
    """A decorator that changes nothing."""
    return lambda function: function
