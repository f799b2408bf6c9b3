"""``torch.onnx``: nothing is exported yet, and :func:`export` says what to do instead."""

from leafward.tensor.missing import names_missing_from

INSTEAD = ("leafward does not write ONNX files: save the weights, torch.save(model.state_dict(), path) or "
           "leafward.io.safetensors, load them into the same model under PyTorch, and export there")


def is_in_onnx_export():
    """False."""
    return False


def register_custom_op_symbolic(symbolic_name, symbolic_fn, opset_version):
    """Take what tells PyTorch's exporter of an operator; nothing asks for it here."""


def unregister_custom_op_symbolic(symbolic_name, opset_version):
    """Nothing: see :func:`register_custom_op_symbolic`."""


def export(model, *args, **kwargs):
    """Refused: says how to get an ONNX file from weights saved here."""
    raise NotImplementedError(INSTEAD)


__getattr__ = names_missing_from("torch.onnx", globals())
