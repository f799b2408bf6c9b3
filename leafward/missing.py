"""The error for a name of PyTorch's that leafward lacks: PyTorch's words, and the nearest thing that exists."""
from difflib import get_close_matches

DENSE = "leafward's tensors are dense: keep the data in an ordinary tensor, with indices beside it where most is zero"
NO_QUANTIZED = "leafward has no quantized tensors: use float32, or int8 with a scale of your own"
NO_GRAPH_COMPILER = "there is no graph compiler: call the function as it is"

#: What to do instead, by name or by the beginning of one (with a star).
INSTEAD = {
    "sparse*": DENSE, "to_sparse*": DENSE, "hspmm": DENSE, "smm": DENSE, "spmm": DENSE, "sspaddmm": DENSE,
    "nested": DENSE,
    "quant*": NO_QUANTIZED, "q_*": NO_QUANTIZED, "qint*": NO_QUANTIZED, "quint*": NO_QUANTIZED, "dequantize": NO_QUANTIZED,
    "fake_quantize*": NO_QUANTIZED, "ao": NO_QUANTIZED, "per_tensor*": NO_QUANTIZED, "per_channel*": NO_QUANTIZED,
    "fx": "there are no graph transformations: a graph of recorded calls starts at tensor.grad_fn",
    "export": NO_GRAPH_COMPILER, "compiler": NO_GRAPH_COMPILER,
    "_dynamo": NO_GRAPH_COMPILER, "_inductor": NO_GRAPH_COMPILER,
    "onnx": "save the weights with leafward.save or safetensors instead",
    "xpu": "leafward computes on the CPU", "mtia": "leafward computes on the CPU",
    "float8*": "use float16 or bfloat16", "float4*": "use float16 or bfloat16", "complex32": "use complex64",
    "chalf": "use complex64", "bits*": "use uint8", "int1": "use int8", "int2": "use int8", "int3": "use int8",
    "int4": "use int8", "int5": "use int8", "int6": "use int8", "int7": "use int8",
    "eig": "use linalg.eig", "symeig": "use linalg.eigh", "solve": "use linalg.solve",
    "lstsq": "use linalg.lstsq", "matrix_rank": "use linalg.matrix_rank",
    "Storage": "use Tensor.untyped_storage()", "TypedStorage": "use Tensor.untyped_storage()",
}


class MissingNameError(AttributeError):
    """``torch.<name>`` does not exist here. The search for something near runs when the text is read."""

    def __init__(self, name, known):
        super().__init__(name)
        self.missing, self.known = name, known

    def __str__(self):
        advice = instead(self.missing) or nearest(self.missing, self.known)
        return f"module 'torch' has no attribute '{self.missing}'" + (f"\n{advice}" if advice else "")


MissingNameError.__name__ = MissingNameError.__qualname__ = "AttributeError"
MissingNameError.__module__ = "builtins"


def instead(name):
    """What leafward says about ``torch.<name>``; None where it is not on the list."""
    for pattern, advice in INSTEAD.items():
        if name == pattern or (pattern.endswith("*") and name.startswith(pattern[:-1])):
            return f"leafward does not have torch.{name}: {advice}"
    return None


def nearest(name, known):
    """The names most like ``name``."""
    close = get_close_matches(name, [n for n in known if not n.startswith("_")], n=3, cutoff=0.75)
    return f"leafward has {', '.join(f'torch.{n}' for n in close)}" if close else None
