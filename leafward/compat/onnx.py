"""``torch.onnx``: nothing is exported yet, and :func:`export` says what to do instead."""

INSTEAD = ("leafward does not write ONNX files: save the weights, torch.save(model.state_dict(), path) or "
           "leafward.io.safetensors, load them into the same model under PyTorch, and export there")


def is_in_onnx_export():
    """False."""
    return False


def export(model, *args, **kwargs):
    """Refused: says how to get an ONNX file from weights saved here."""
    raise NotImplementedError(INSTEAD)
